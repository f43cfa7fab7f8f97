import { expect, it } from "vitest";
import type { PublishResult } from "../../src/contract/control.ts";
import { settledPolls } from "../support/feed.ts";
import { until } from "../support/http-service.ts";
import { HubspotService, appToken, contact } from "../support/hubspot-service.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";
import type { TestRuntime } from "../support/runtime.ts";
import { TelegramService, botToken, sampleUpdates } from "../support/telegram-service.ts";

const telegramEvents = ["new_message", "callback_query", "chat_join_request", "bot_event"] as const;

/** A workflow that begins with an event of a connector and notes it. */
function listening(connector: string, event: string, params = "{}"): string {
  return `
name: on ${event}
nodes:
  - {id: trigger, type: trigger, data: {kind: connector, connector: ${connector}, event: ${event}, connectionId: mine, params: ${params}}}
  - {id: note, type: set, data: {assignments: [{id: a, key: got, value: "{{trigger.output}}"}]}}
edges: [trigger -> note]
`;
}

/** What the runs of the workspace began with, by their workflow. */
async function begun({ store }: TestRuntime): Promise<Record<string, unknown[]>> {
  const { runs } = await store.listRuns({ workspaceId: 1, limit: 100, offset: 0 });
  const found: Record<string, unknown[]> = {};
  for (const { id, workflowId } of runs.toReversed()) {
    const workflow = await store.findWorkflow(1, { id: workflowId });
    (found[workflow?.name ?? ""] ??= []).push((await store.findRun(1, id))?.input);
  }
  return found;
}

/** Time passes, and every poll that is due then is over. */
async function pass(test: TestRuntime, ms: number, isPolled: () => boolean): Promise<void> {
  test.clock.advance(ms);
  await until(isPolled);
  await settledPolls(test);
  await test.settled();
}

async function openTelegram(extra: Record<string, string> = {}) {
  const service = await TelegramService.start();
  const outside = await outsideRuntime();
  const settings = { baseUrl: service.http.url };
  await outside.addConnection({
    connector: "telegram",
    name: "mine",
    settings,
    secrets: { token: botToken, ...extra },
  });
  return { service, test: outside.test };
}

const expected = {
  "on new_message": [{ update_id: 10, chat_id: 42, text: "hello" }],
  "on callback_query": [{ update_id: 11, callback_query_id: "q1", data: "yes" }],
  "on chat_join_request": [{ update_id: 12, chat_id: -100, user_id: 42 }],
  "on bot_event": [{ update_id: 13, old_status: "left", new_status: "member" }],
};

it("each event of Telegram that is polled starts a run of its workflow, once", async () => {
  const { service, test } = await openTelegram();
  for (const event of telegramEvents) await test.publish(listening("telegram", event));
  service.queue = sampleUpdates(10);
  for (let polls = 1; polls <= 3; polls += 1) {
    const before = service.of("getUpdates").length;
    await pass(test, 10_000, () => service.of("getUpdates").length >= before + 4);
  }
  expect(await begun(test)).toMatchObject(expected);
  expect(JSON.stringify([test.logged, await test.control("GET", "/control/triggers")])).not.toContain(botToken);
});

it("each event of Telegram that is delivered starts a run of its workflow, once, and forged ones none", async () => {
  const { test } = await openTelegram({ webhook_secret: "hush-1" });
  const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": "hush-1" };
  for (const event of telegramEvents) {
    const published: PublishResult = await test.publish(listening("telegram", event, "{mode: webhook}"));
    const path = `/${new URL(published.published[0]?.webhook_url ?? "").pathname}`;
    for (const update of [...sampleUpdates(10), ...sampleUpdates(10)]) {
      const answer = await test.request("POST", path, { headers, body: JSON.stringify(update) });
      expect(answer.status).toBe(200);
    }
    const forged = { ...headers, "x-telegram-bot-api-secret-token": "guess" };
    const body = JSON.stringify(sampleUpdates(20)[0]);
    expect((await test.request("POST", path, { headers: forged, body })).status).toBe(401);
  }
  const runs = await begun(test);
  expect(runs).toMatchObject(expected);
  expect(Object.values(runs).map((each) => each.length)).toEqual([1, 1, 1, 1]);
});

it("a new contact of HubSpot starts a run", async () => {
  const service = await HubspotService.start();
  const { test, ...outside } = await outsideRuntime().then((each) => ({
    test: each.test,
    add: async (request: object) => each.addConnection(request),
  }));
  await outside.add({
    connector: "hubspot",
    name: "mine",
    settings: { baseUrl: service.http.url },
    secrets: { token: appToken },
  });
  const at = test.clock.now().getTime();
  service.indexed = [contact(1, at)];
  await test.publish(listening("hubspot", "new_contact", "{properties: [lifecyclestage]}"));
  service.indexed.push(contact(2, at + 1000));
  for (let polls = 1; polls <= 2; polls += 1) {
    const before = service.requests.length;
    await pass(test, 60_000, () => service.requests.length > before);
  }
  expect(await begun(test)).toMatchObject({ "on new_contact": [{ id: "2", firstname: "N2" }] });
  expect(service.http.requests.at(-1)?.body).toContain("lifecyclestage");
});
