import { describe, expect, test } from "vitest";
import type { DeliveryList } from "../../src/contract/trigger.ts";
import { deskConnector, showTrigger, ticketRuns, ticketWorkflow } from "../support/feed.ts";
import { HttpService } from "../support/http-service.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";
import { type RuntimeOptions, readAnswer } from "../support/runtime.ts";

const canary = "desk-token-canary";
const signed = { "x-desk-token": canary };
const tickets = (...ids: number[]) => JSON.stringify({ tickets: ids.map((id) => ({ id, subject: `ticket ${id}` })) });

async function open(trigger = "event: ticket_sent, connectionId: mine", options: RuntimeOptions = {}) {
  const service = await HttpService.start();
  const outside = await outsideRuntime({ connectors: [deskConnector()], ...options });
  const settings = { baseUrl: service.url };
  await outside.addConnection({ connector: "desk", name: "mine", settings, secrets: { token: canary } });
  const { published } = await outside.test.publish(ticketWorkflow(trigger));
  const path = `/${new URL(published[0]?.webhook_url ?? "").pathname}`;
  const send = async (body: string, headers: Record<string, string> = signed) => {
    const response = await outside.test.request("POST", path, { headers, body });
    return { status: response.status, text: await response.text(), type: response.headers.get("content-type") };
  };
  return { test: outside.test, service, path, send };
}

describe("a connector's trigger whose events are sent", () => {
  test("starts a run for each event of a request, once, and answers as the connector words it", async () => {
    const { test: runtime, send, service } = await open();
    expect(await send(tickets(1, 2))).toEqual({ status: 200, text: "desk-ok", type: "text/plain" });
    expect(await send(tickets(2, 3, 3))).toMatchObject({ status: 200 });
    expect(await ticketRuns(runtime)).toEqual([1, 2, 3]);
    expect(await send(tickets())).toEqual({ status: 200, text: "desk-ok", type: "text/plain" });
    expect(service.requests).toEqual([]);
    const { body } = await runtime.control<DeliveryList>("GET", "/control/deliveries");
    expect(body.deliveries.map(({ status, reason, run_id }) => [status, reason, run_id !== null])).toEqual([
      [200, "no events", false],
      [200, null, true],
      [200, null, true],
    ]);
    expect(await showTrigger(runtime)).toMatchObject({
      url: expect.stringContaining("/webhooks/"),
      feed: { mode: "webhook", every_seconds: null, next_poll_at: null, last_error: null },
    });
  });

  test("keeps out what is not verified, and what nobody can read", async () => {
    const { test: runtime, send } = await open();
    expect(await send(tickets(1), {})).toMatchObject({ status: 401 });
    expect(await send(tickets(1), { "x-desk-token": "wrong" })).toMatchObject({ status: 401 });
    expect(await send("{", signed)).toMatchObject({ status: 400 });
    expect(await send(JSON.stringify({ tickets: [{ subject: "no id" }] }))).toMatchObject({ status: 400 });
    expect(await ticketRuns(runtime)).toEqual([]);
    const { body } = await runtime.control<DeliveryList>("GET", "/control/deliveries");
    expect(JSON.stringify(body)).not.toContain(canary);
    expect(body.deliveries).toHaveLength(4);
    await runtime.control("POST", "/control/connections/mine/remove");
    expect(await send(tickets(1))).toMatchObject({ status: 401, text: expect.stringContaining("Invalid webhook") });
  });

  test("reads forms too", async () => {
    const form = {
      event: "ticket_sent",
      name: "Ticket sent",
      mode: "webhook",
      signature: { scheme: "token", in: "query", name: "key", secret: "token" },
      id: "{{body.ticket}}",
      output: { id: "{{body.ticket}}", by: "{{body.who}}" },
    };
    const connector = deskConnector({ triggers: [form] });
    const { test: runtime, path } = await open(undefined, { connectors: [connector] });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const init = { headers, body: "ticket=7&who=Ad%C3%A4" };
    const answer = await readAnswer<{ run_id: string }>(await runtime.request("POST", `${path}?key=${canary}`, init));
    expect(answer).toMatchObject({ status: 202, body: { accepted: true } });
    expect(await runtime.store.findRun(1, answer.body.run_id)).toMatchObject({ input: { id: "7", by: "Adä" } });
  });

  test("comes by polling where nothing else is said, and under no address then", async () => {
    const { test: runtime } = await open("event: ticket, connectionId: mine, params: {mode: webhook}");
    const { subscription_id: id } = await showTrigger(runtime);
    expect(await runtime.store.listMoments("poll")).toEqual([]);
    await runtime.publish(ticketWorkflow("event: ticket, connectionId: mine"));
    expect(await showTrigger(runtime)).toMatchObject({ url: null, feed: { mode: "poll" } });
    const response = await runtime.request("POST", `//webhooks/${id}`, { headers: signed, body: tickets(1) });
    expect(response.status).toBe(404);
    expect(await runtime.store.listMoments("poll")).toHaveLength(1);
  });

  test("is refused while the workflow is paused, and repeated later when the queue is full", async () => {
    const { test: runtime, send } = await open(undefined, { limits: { maxQueuedRuns: 2 } });
    const { subscription_id: id } = await showTrigger(runtime);
    await runtime.control("POST", `/control/triggers/${id}/disable`);
    expect(await send(tickets(1))).toMatchObject({ status: 409 });
    await runtime.control("POST", `/control/triggers/${id}/enable`);
    const all = tickets(1, 2, 3);
    expect(await send(all)).toMatchObject({ status: 503 });
    expect(await send(all)).toMatchObject({ status: 200 });
    expect(await ticketRuns(runtime)).toEqual([1, 2, 3]);
  });
});
