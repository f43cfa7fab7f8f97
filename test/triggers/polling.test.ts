import { describe, expect, test } from "vitest";
import type { PublishResult } from "../../src/contract/control.ts";
import type { Notification } from "../../src/daemon/notify/channels.ts";
import { HttpService, json, until } from "../support/http-service.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";
import type { RuntimeOptions } from "../support/runtime.ts";
import { Desk, deskConnector, settledPolls, showTrigger, ticketRuns, ticketWorkflow } from "../support/feed.ts";

const minute = 60_000;
const canary = "desk-token-canary";

async function open(options: Omit<RuntimeOptions, "outside"> = {}) {
  const service = await HttpService.start();
  const desk = new Desk(service);
  const outside = await outsideRuntime({ connectors: [deskConnector()], ...options });
  const { test: runtime } = outside;
  const settings = { baseUrl: service.url };
  await outside.addConnection({ connector: "desk", name: "mine", settings, secrets: { token: canary } });
  /** Time passes, and the poll that is due then is over. */
  const poll = async (ms = minute) => {
    const before = service.requests.length;
    runtime.clock.advance(ms);
    await until(() => service.requests.length > before);
    await settledPolls(runtime);
  };
  const change = async (name: "enable" | "disable") => {
    const { subscription_id } = await showTrigger(runtime);
    await runtime.control("POST", `/control/triggers/${subscription_id}/${name}`);
  };
  return { service, desk, outside, poll, change, test: runtime };
}

describe("a polled trigger", () => {
  test("tells nothing of the past, then each event once, the oldest first", async () => {
    const { desk, poll, test: runtime, service } = await open();
    desk.add(3);
    const { published } = await runtime.publish(ticketWorkflow());
    expect(published[0]).toMatchObject({ warnings: [], webhook_url: null });
    expect(service.requests.map(({ url }) => url)).toEqual(["/tickets?folder=inbox"]);
    expect(await ticketRuns(runtime)).toEqual([]);
    desk.add(3);
    await poll();
    await poll();
    expect(await ticketRuns(runtime)).toEqual([4, 5, 6]);
    expect(service.requests.at(-1)?.url).toBe("/tickets?folder=inbox&after=6");
    desk.add(1);
    await poll();
    expect(await ticketRuns(runtime)).toEqual([4, 5, 6, 7]);
    const { runs } = await runtime.store.listRuns({ workspaceId: 1, limit: 1, offset: 0 });
    expect(runs[0]).toMatchObject({ source: "webhook", userId: "tester" });
  });

  test("shows when it was polled, when it will be, and where it stands", async () => {
    const { desk, poll, test: runtime } = await open();
    desk.add(2);
    await runtime.publish(ticketWorkflow("event: new_ticket, connectionId: mine, params: {everySeconds: 600}"));
    await poll(10 * minute);
    const { feed, status, url } = await showTrigger(runtime);
    expect({ status, url }).toEqual({ status: "active", url: null });
    expect(feed).toEqual({
      connector: "desk",
      event: "new_ticket",
      mode: "poll",
      every_seconds: 600,
      last_poll_at: "2026-01-15T10:10:00.000Z",
      next_poll_at: "2026-01-15T10:20:00.000Z",
      last_error: null,
      failures: 0,
      cursor: { last: 2, ids: [] },
    });
  });

  test("goes on where it was after a restart, and begins anew when it polls something else", async () => {
    const { desk, poll, test: runtime, service } = await open();
    await runtime.publish(ticketWorkflow());
    await runtime.restart(10 * minute);
    await until(() => service.requests.length === 2);
    await settledPolls(runtime);
    desk.add(2);
    await poll();
    expect(await ticketRuns(runtime)).toEqual([1, 2]);
    await runtime.publish(ticketWorkflow("event: new_ticket, connectionId: mine, params: {folder: spam}"));
    expect(service.requests.at(-1)?.url).toBe("/tickets?folder=spam");
    desk.add(1);
    await poll();
    expect(await ticketRuns(runtime)).toEqual([1, 2, 3]);
  });

  test("starts one run for an event however often its service tells it", async () => {
    const connector = deskConnector();
    const [trigger] = connector.triggers;
    const ids = ["a", "b"];
    let polls = 0;
    const run = async () => {
      polls += 1;
      return { events: [...ids, ...ids].map((id) => ({ id, output: { id } })), cursor: null };
    };
    const told = { ...connector, triggers: trigger ? [{ ...trigger, poll: { everySeconds: 60, run } }] : [] };
    const { test: runtime } = await open({ connectors: [told] });
    await runtime.publish(ticketWorkflow());
    for (const id of ["c", "d"]) {
      ids.push(id);
      runtime.clock.advance(minute);
      await settledPolls(runtime);
    }
    expect([polls, await ticketRuns(runtime)]).toEqual([3, ["c", "d"]]);
  });

  test("loses and repeats nothing when it ends between the service's answer and its own commit", async () => {
    const { desk, service, test: runtime } = await open();
    await runtime.publish(ticketWorkflow());
    desk.add(3);
    runtime.runtime.services.store.takeEvents = () => Promise.reject(new Error("The process is dead"));
    runtime.clock.advance(minute);
    await until(() => runtime.logged.length > 0);
    expect([service.requests.length, await ticketRuns(runtime)]).toEqual([2, []]);
    await runtime.restart(1000);
    await settledPolls(runtime);
    expect(await ticketRuns(runtime)).toEqual([1, 2, 3]);
  });

  test("of two polls that saw the same cursor one counts", async () => {
    const { desk, test: runtime } = await open();
    await runtime.publish(ticketWorkflow());
    const { subscription_id: id } = await showTrigger(runtime);
    desk.add(2);
    const { store } = runtime.runtime.services;
    const kinds: string[] = [];
    // Another daemon polls while this one is about to commit.
    store.takeEvents = async (batch) => {
      kinds.push((await runtime.store.takeEvents(batch)).kind);
      const second = await runtime.store.takeEvents(batch);
      kinds.push(second.kind);
      return second;
    };
    await runtime.runtime.services.polls.pollNow(id);
    expect([kinds, await ticketRuns(runtime)]).toEqual([
      ["taken", "stale"],
      [1, 2],
    ]);
  });

  test("comes later each time that it fails, says why, and recovers", async () => {
    const { desk, poll, test: runtime, service } = await open();
    await runtime.publish(ticketWorkflow());
    const works = service.answer;
    service.answer = json(500, { error: `broken ${canary}` });
    await poll();
    const first = await showTrigger(runtime);
    expect(first.feed).toMatchObject({
      last_error: { code: "UPSTREAM_ERROR" },
      failures: 1,
      last_poll_at: "2026-01-15T10:00:00.000Z",
      next_poll_at: "2026-01-15T10:02:00.000Z",
    });
    await poll();
    expect((await showTrigger(runtime)).feed).toMatchObject({ next_poll_at: "2026-01-15T10:04:00.000Z" });
    desk.add(1);
    service.answer = works;
    await poll(2 * minute);
    expect((await showTrigger(runtime)).feed).toMatchObject({ last_error: null, failures: 0 });
    expect(await ticketRuns(runtime)).toEqual([1]);
    expect(JSON.stringify([first, runtime.logged])).not.toContain(canary);
  });

  test("waits as long as the service says, and while the circuit breaker is open nothing is asked", async () => {
    const { poll, test: runtime, service } = await open();
    await runtime.publish(ticketWorkflow("event: new_ticket, connectionId: mine, params: {everySeconds: 10}"));
    service.answer = json(429, { error: "slowly" }, { "retry-after": "300" });
    await poll(10_000);
    expect((await showTrigger(runtime)).feed).toMatchObject({
      last_error: { code: "RATE_LIMITED" },
      next_poll_at: "2026-01-15T10:05:10.000Z",
    });
    const { subscription_id: id } = await showTrigger(runtime);
    for (let n = 0; n < 4; n += 1) await runtime.runtime.services.polls.pollNow(id);
    const asked = service.requests.length;
    await runtime.runtime.services.polls.pollNow(id);
    expect(service.requests).toHaveLength(asked);
    expect((await showTrigger(runtime)).feed.last_error?.message).toContain("failed too often");
  });

  test("whose credentials are refused has people told, and goes on when there are new ones", async () => {
    const told: Notification[] = [];
    const channel = { name: "test", send: async (notification: Notification) => void told.push(notification) };
    const { desk, poll, test: runtime, service } = await open({ channels: [channel] });
    await runtime.publish(ticketWorkflow());
    const works = service.answer;
    service.answer = json(401, { error: "no" });
    await poll();
    await poll();
    expect((await showTrigger(runtime)).feed.last_error).toMatchObject({ code: "AUTH_EXPIRED" });
    const status = async () => (await runtime.control("GET", "/control/connections/mine")).body["status"];
    expect(await status()).toBe("needs_auth");
    await until(() => told.length > 0);
    expect(told).toEqual([
      expect.objectContaining({
        event: "connection.needs_auth",
        run_id: null,
        message: "The credentials of the connection mine are refused: give new ones",
      }),
    ]);
    service.answer = works;
    desk.add(1);
    await runtime.control("POST", "/control/connections/mine/update", { secrets: { token: "new" } });
    await until(async () => (await ticketRuns(runtime)).length === 1);
    expect(await status()).toBe("active");
  });

  test("that is paused asks nothing, and goes on from where it was", async () => {
    const { desk, poll, change, test: runtime, service } = await open();
    await runtime.publish(ticketWorkflow());
    await change("disable");
    desk.add(2);
    runtime.clock.advance(10 * minute);
    await runtime.settled();
    expect(service.requests).toHaveLength(1);
    expect(await showTrigger(runtime)).toMatchObject({ status: "paused", feed: { next_poll_at: null } });
    await change("enable");
    expect(await ticketRuns(runtime)).toEqual([1, 2]);
    desk.add(1);
    await poll();
    expect(await ticketRuns(runtime)).toEqual([1, 2, 3]);
  });

  test("over the hourly cap starts runs that have failed, without steps", async () => {
    const { desk, poll, test: runtime } = await open({ limits: { runsPerHour: 2 } });
    await runtime.publish(ticketWorkflow());
    desk.add(4);
    await poll();
    expect(await ticketRuns(runtime)).toEqual([1, 2, 3, 4]);
    const { runs } = await runtime.store.listRuns({ workspaceId: 1, limit: 9, offset: 0 });
    expect(runs.map(({ status }) => status === "failed")).toEqual([true, true, false, false]);
    const message = "Превышен лимит: не более 2 запусков в час. Повторите позже.";
    expect(await runtime.store.findRun(1, runs[0]?.id ?? "")).toMatchObject({
      error: { code: "RATE_LIMITED", message },
    });
  });

  test("takes of many events as many as the queue has room for, and each of them once", async () => {
    const { desk, poll, test: runtime } = await open({ limits: { maxQueuedRuns: 2 } });
    await runtime.publish(ticketWorkflow());
    desk.add(5);
    await poll();
    expect(await ticketRuns(runtime)).toEqual([1, 2]);
    await poll(5000);
    await poll(5000);
    await poll();
    expect(await ticketRuns(runtime)).toEqual([1, 2, 3, 4, 5]);
  });

  test("can be fired with an example of its event, or with one that is given", async () => {
    const { test: runtime } = await open();
    await runtime.publish(ticketWorkflow());
    const { subscription_id: id } = await showTrigger(runtime);
    const example = await runtime.control<{ run_id: string }>("POST", `/control/triggers/${id}/fire`, {});
    await runtime.control("POST", `/control/triggers/${id}/fire`, { body: { id: 17 } });
    expect(await runtime.store.findRun(1, example.body.run_id)).toMatchObject({
      source: "test",
      input: { id: 1, subject: "example" },
    });
    expect(await ticketRuns(runtime)).toEqual([1, 17]);
  });
});

test("a clock that is set back makes no trigger wait for what is far away now", async () => {
  const { desk, test: runtime, service } = await open();
  await runtime.publish(ticketWorkflow());
  desk.add(1);
  runtime.clock.jump(-24 * 60 * minute);
  runtime.clock.advance(minute);
  await until(() => service.requests.length > 1);
  await settledPolls(runtime);
  expect(await ticketRuns(runtime)).toEqual([1]);
});

describe("publishing", () => {
  const own = "event: new_ticket, connectionId: mine";
  test.each([
    ["event: new_tiket, connectionId: mine", "unknown_event", "/nodes/0/data/event", "did you mean new_ticket?"],
    ["event: new_ticket", "connection_required", "/nodes/0/data/connectionId", "desk needs a connection"],
    ["event: new_ticket, connectionId: other", "unknown_connection", "/nodes/0/data/connectionId", "other"],
    [`${own}, params: {foldr: x}`, "invalid_input", "/nodes/0/data/params/foldr", "is no field; did you mean folder?"],
    [`${own}, params: {mode: webhook}`, "invalid_input", "/nodes/0/data/params/mode", "mode must be poll"],
    [`${own}, params: {everySeconds: 1}`, "invalid_input", "/nodes/0/data/params/everySeconds", "from 10 to 86400"],
  ])("refuses a trigger with %s", async (trigger, code, path, message) => {
    const { test: runtime } = await open();
    const request = { files: [{ file: "a.yaml", text: ticketWorkflow(trigger) }] };
    const { body } = await runtime.control<PublishResult>("POST", "/control/publish", request);
    const [issue] = body.failed[0]?.issues ?? [];
    expect(issue).toMatchObject({ code, path, node_id: "trigger", message: expect.stringContaining(message) });
  });

  test("refuses a trigger of a connector that is not there", async () => {
    const { test: runtime } = await open();
    const text = ticketWorkflow(own).replace("connector: desk", "connector: dsk");
    const { body } = await runtime.control<PublishResult>("POST", "/control/publish", { files: [{ file: "a", text }] });
    expect(body.failed[0]?.issues[0]).toMatchObject({ code: "unknown_connector", path: "/nodes/0/data/connector" });
  });
});
