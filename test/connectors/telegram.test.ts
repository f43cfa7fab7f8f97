import { expect, it } from "vitest";
import { createPolls } from "../../src/connectors/telegram/poll-updates.ts";
import { telegram } from "../../src/connectors/telegram/telegram.ts";
import type { EventKind } from "../../src/connectors/telegram/updates.ts";
import type { Json } from "../../src/contract/json.ts";
import { callOperation, connection } from "../support/call-operation.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";
import { TelegramService, botToken, refusal, sampleUpdates } from "../support/telegram-service.ts";

async function open() {
  const service = await TelegramService.start();
  const bot = connection(telegram, { baseUrl: service.http.url }, { token: botToken, webhook_secret: "hush_hush-1" });
  const call = async (key: string, input: { [key: string]: Json } = {}) =>
    callOperation(telegram, key, input, { connection: bot });
  return { service, bot, call };
}

type Bot = Awaited<ReturnType<typeof open>>["bot"];

/** A workflow that polls: it keeps its cursor, as the daemon does. */
function poller(bot: Bot, polls: ReturnType<typeof createPolls>, kind: EventKind, clock: { now: number }) {
  const workflow = {
    cursor: null as Json,
    async poll(): Promise<{ id: string; output: Json }[]> {
      const params = {};
      const parts = {
        connection: bot,
        params,
        fetch,
        signal: new AbortController().signal,
        now: () => new Date(clock.now),
      };
      const answer = await polls(kind)({ ...parts, cursor: workflow.cursor });
      if ("error" in answer) throw new Error(`${answer.error.code}: ${answer.error.message}`);
      workflow.cursor = answer.cursor;
      return [...answer.events];
    },
  };
  return workflow;
}

it("messages, buttons and answers go out in the form of the Bot API", async () => {
  const { service, call } = await open();
  const buttons = { inline_keyboard: [[{ text: "Yes", callback_data: "yes" }]] };
  const input = { chat_id: 42, text: "<b>Hi</b>", parse_mode: "HTML", reply_markup: buttons, reply_to_message_id: 7 };
  expect(await call("send_message", input)).toMatchObject({ kind: "done", output: { message_id: 99, chat_id: 42 } });
  const { reply_to_message_id: _reply, ...sent } = input;
  expect(service.of("sendMessage")).toEqual([{ ...sent, reply_parameters: { message_id: 7 } }]);
  await call("edit_message_text", { chat_id: 42, message_id: 99, text: "Done" });
  await call("answer_callback_query", { callback_query_id: "q1", text: "Thanks" });
  await call("approve_chat_join_request", { chat_id: -100, user_id: 42 });
  await call("decline_chat_join_request", { chat_id: -100, user_id: 43 });
  await call("delete_message", { chat_id: 42, message_id: 99 });
  await call("send_photo", { chat_id: 42, photo: "https://example.com/a.png", caption: "A" });
  await call("send_document", { chat_id: 42, document: "BQACAgIAAx" });
  expect(service.calls.map(({ method }) => method)).toEqual([
    "sendMessage",
    "editMessageText",
    "answerCallbackQuery",
    "approveChatJoinRequest",
    "declineChatJoinRequest",
    "deleteMessage",
    "sendPhoto",
    "sendDocument",
  ]);
  expect(await call("get_me")).toMatchObject({ kind: "done", output: { username: "tests_bot" } });
});

it("a crash repeats no message that was sent, and an edit that was made already is no failure", async () => {
  const { service, call } = await open();
  const effects = (key: string) => telegram.operations.find((each) => each.key === key)?.effects({});
  expect(["send_message", "send_photo", "send_document"].map(effects)).toEqual(["unsafe", "unsafe", "unsafe"]);
  expect(effects("edit_message_text")).toBe("idempotent");
  service.refused.set("editMessageText", refusal(400, "Bad Request: message is not modified: same content"));
  expect(await call("edit_message_text", { chat_id: 1, message_id: 2, text: "x" })).toMatchObject({ kind: "done" });
});

it("refusals get the codes of the contract, and a 429 the pause that its body asks for", async () => {
  const { service, bot, call } = await open();
  const codeOf = async (code: number, description: string, parameters?: Record<string, unknown>) => {
    service.refused.set("sendMessage", refusal(code, description, parameters));
    const outcome = await call("send_message", { chat_id: 1, text: "x" });
    return outcome.kind === "fail" ? outcome.error : null;
  };
  expect(await codeOf(429, "Too Many Requests: retry after 8", { retry_after: 8 })).toMatchObject({
    code: "RATE_LIMITED",
    retryAfterMs: 8000,
  });
  expect(await codeOf(403, "Forbidden: bot was blocked by the user")).toMatchObject({
    code: "VALIDATION_ERROR",
    message: expect.stringContaining("bot was blocked by the user"),
  });
  expect(await codeOf(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -1001 })).toMatchObject({
    code: "VALIDATION_ERROR",
    details: { status: 400, migrate_to_chat_id: -1001 },
  });
  expect(await codeOf(502, "Bad Gateway")).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
  const wrong = { ...bot, secrets: { token: "1:nope" } };
  const tested = await callOperation(telegram, "get_me", {}, { connection: wrong });
  expect(tested).toMatchObject({ error: { code: "AUTH_EXPIRED", message: expect.stringContaining("@BotFather") } });
  service.http.answer = (_, response) => void response.writeHead(200).end("<html>");
  expect(await call("get_me")).toMatchObject({ error: { code: "UNKNOWN" } });
});

it("each kind of event is polled, from the first poll on and once", async () => {
  const { service, bot } = await open();
  const clock = { now: Date.UTC(2026, 0, 15, 10) };
  const polls = createPolls();
  const kinds: EventKind[] = ["new_message", "callback_query", "chat_join_request", "bot_event"];
  const workflows = kinds.map((kind) => poller(bot, polls, kind, clock));
  const pollAll = async () => Promise.all(workflows.map(async (workflow) => workflow.poll()));
  service.queue = sampleUpdates(100);
  expect(await pollAll()).toEqual([[], [], [], []]);
  service.queue.push(...sampleUpdates(200));
  clock.now += 10_000;
  expect(await pollAll()).toMatchObject([
    [{ id: "200", output: { chat_id: 42, text: "hello", message_id: 7, from: { id: 42 } } }],
    [{ id: "201", output: { callback_query_id: "q1", data: "yes", chat_id: 42, message_id: 7 } }],
    [{ id: "202", output: { chat_id: -100, user_id: 42, bio: "Hi" } }],
    [{ id: "203", output: { kind: "my_chat_member", old_status: "left", new_status: "member" } }],
  ]);
  expect(await pollAll()).toEqual([[], [], [], []]);
});

it("workflows that share a bot take nothing away from each other, and what all have seen is confirmed", async () => {
  const { service, bot } = await open();
  const clock = { now: Date.UTC(2026, 0, 15, 10) };
  let polls = createPolls();
  const fast = poller(bot, polls, "new_message", clock);
  const slow = poller(bot, polls, "callback_query", clock);
  await fast.poll();
  await slow.poll();
  clock.now += 3 * 60_000;
  service.queue.push(...sampleUpdates(100));
  expect(await fast.poll()).toHaveLength(1);
  // What the fast one has is not given up before the slow one has it, nor by a new process that knows of neither.
  expect(await fast.poll()).toHaveLength(0);
  polls = createPolls();
  const restarted = poller(bot, polls, "new_message", clock);
  restarted.cursor = fast.cursor;
  expect(await restarted.poll()).toHaveLength(0);
  expect(service.queue).toHaveLength(4);
  expect(await slow.poll()).toMatchObject([{ id: "101" }]);
  await slow.poll();
  await fast.poll();
  await slow.poll();
  expect(service.queue).toHaveLength(0);
});

it("more than one page waits its turn, and what waited before the workflow began starts nothing", async () => {
  const { service, bot } = await open();
  const clock = { now: Date.UTC(2026, 0, 15, 10) };
  const workflow = poller(bot, createPolls(), "new_message", clock);
  const message = (id: number, at: number) => ({
    update_id: id,
    message: { message_id: id, chat: { id: 1 }, date: Math.floor(at / 1000), text: String(id) },
  });
  const older = Array.from({ length: 150 }, (_, n) => message(n + 1, clock.now - 60_000));
  service.queue = older;
  expect(await workflow.poll()).toEqual([]);
  clock.now += 3 * 60_000;
  service.queue.push(...Array.from({ length: 150 }, (_, n) => message(n + 151, clock.now)));
  const ids: string[] = [];
  for (let polls = 0; polls < 6; polls += 1) ids.push(...(await workflow.poll()).map(({ id }) => id));
  expect(ids).toEqual(Array.from({ length: 150 }, (_, n) => String(n + 151)));
});

it("a bot with a webhook can't be polled, and the error says what to do", async () => {
  const { service, bot, call } = await open();
  const workflow = poller(bot, createPolls(), "new_message", { now: 0 });
  expect(await call("set_webhook", { url: "https://example.com/webhooks/1" })).toMatchObject({ kind: "done" });
  expect(service.of("setWebhook")).toMatchObject([{ secret_token: "hush_hush-1" }]);
  await expect(workflow.poll()).rejects.toThrow(/VALIDATION_ERROR: .*delete_webhook/);
  await call("delete_webhook");
  expect(await workflow.poll()).toEqual([]);
});

it("a delivered update counts with the connection's secret alone", async () => {
  const { bot } = await open();
  const trigger = telegram.triggers.find(({ event }) => event === "new_message");
  const push = async (headers: Record<string, string>, update: unknown, secrets = bot.secrets) =>
    trigger?.push?.decode({
      headers: new Headers(headers),
      query: new URLSearchParams(),
      body: new TextEncoder().encode(JSON.stringify(update)),
      connection: { ...bot, secrets },
      params: {},
      now: () => new Date(0),
    });
  const right = { "X-Telegram-Bot-Api-Secret-Token": "hush_hush-1" };
  const [message, press] = sampleUpdates(5);
  expect(await push(right, message)).toMatchObject({
    kind: "events",
    events: [{ id: "5", output: { text: "hello" } }],
  });
  expect(await push(right, press)).toMatchObject({ kind: "events", events: [] });
  expect(await push({ "X-Telegram-Bot-Api-Secret-Token": "wrong" }, message)).toMatchObject({
    kind: "refused",
    status: 401,
  });
  expect(await push({}, message)).toMatchObject({ status: 401 });
  expect(await push({}, message, { token: botToken })).toMatchObject({ status: 401 });
  expect(await push(right, { hello: 1 })).toMatchObject({ status: 400 });
});

it("the token in the address reaches no journal, error, log, breaker or answer", async () => {
  const service = await TelegramService.start();
  const outside = await outsideRuntime();
  const { id } = await outside.addConnection({
    connector: "telegram",
    settings: { baseUrl: service.http.url },
    secrets: { token: botToken },
  });
  const input = { chat_id: "{{action_input.to}}", text: "x" };
  await outside.publishCall({ connector: "telegram", operation: "send_message", connectionId: id, input });
  const seen: unknown[] = [];
  const note = async (run: { run_id: string }) => {
    seen.push(
      run,
      await outside.test.get(`/runs/${run.run_id}/events`),
      await outside.test.control("GET", "/control/breakers"),
    );
  };
  await note(await outside.test.runToEnd("call", { to: 1 }));
  service.http.answer = (request, response) => void response.writeHead(500).end(`no route for ${request.url}`);
  for (let tries = 0; tries < 5; tries += 1) await note(await outside.test.runToEnd("call", { to: 1 }));
  await service.http.stop();
  await note(await outside.test.runToEnd("call", { to: 1 }));
  seen.push(await outside.test.control("POST", `/control/connections/${id}/test`), outside.test.logged);
  expect(JSON.stringify(seen)).toContain("UPSTREAM_ERROR");
  expect(JSON.stringify(seen)).not.toContain(botToken.split(":")[1]);
});

it("a connection is tested by asking who the bot is", async () => {
  const service = await TelegramService.start();
  const outside = await outsideRuntime();
  const secrets = { token: botToken };
  const { id } = await outside.addConnection({
    connector: "telegram",
    settings: { baseUrl: service.http.url },
    secrets,
  });
  const { body } = await outside.test.control("POST", `/control/connections/${id}/test`);
  expect(body).toMatchObject({ ok: true, tested: true });
  expect(service.of("getMe")).toHaveLength(1);
});
