import { describe, expect, test } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import { readAnswer, testRuntime } from "../support/runtime.ts";
import { countRuns, endOf, orderHook, publishHook, send } from "../support/webhooks.ts";

describe("a webhook", () => {
  test("answers 202 with its run, which has the request as its trigger's output", async () => {
    const runtime = await testRuntime();
    const { path, id } = await publishHook(runtime, orderHook());
    expect(id).toMatch(/^[\w-]{32}$/);
    const headers = { authorization: "Bearer x", cookie: "a=b", "x-shop": "Nord", "webhook-signature": "v1,abc" };
    const answer = await send(runtime, `${path}?b=1&a=2&b=3`, { id: "o-1" }, headers);
    expect([answer.status, Object.keys(answer.body)]).toEqual([202, ["accepted", "run_id"]]);
    expect(answer.body.accepted).toBe(true);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    const run = await endOf(runtime, answer);
    expect(run).toMatchObject({
      status: "succeeded",
      source: "webhook",
      action_slug: null,
      input: { body: { id: "o-1" }, timestamp: "2026-01-15T10:00:00.000Z", query: { a: "2", b: ["1", "3"] } },
      steps: [{ output: { id: "o-1", at: "2026-01-15T10:00:00.000Z" } }],
    });
    const { headers: kept } = run.input as { headers: Record<string, string> };
    expect(kept["x-shop"]).toBe("Nord");
    expect(Object.keys(kept)).not.toEqual(expect.arrayContaining(["authorization"]));
    expect(JSON.stringify(kept)).not.toMatch(/Bearer|cookie|v1,abc/);
    const record = await runtime.store.findRun(1, run.run_id);
    expect(record?.http).toEqual({ requestId: expect.stringMatching(/^[0-9a-f-]{36}$/), handlerId: null });
    expect(record?.userId).toBe("tester");
  });

  test("takes any JSON value under any content type, and no body as an empty object", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, orderHook());
    const bodies: [text: string, value: unknown][] = [
      ["", {}],
      ["[1]", [1]],
      ["null", null],
      ['"text"', "text"],
      ['{"__proto__": {"polluted": true}}', JSON.parse('{"__proto__": {"polluted": true}}')],
    ];
    for (const [text, value] of bodies) {
      const answer = await send(runtime, path, text, { "content-type": "text/plain" });
      expect(answer.status).toBe(202);
      expect((await endOf(runtime, answer)).input).toMatchObject({ body: value });
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("refuses what is no JSON, outgrows every number, is too deep or too large, and starts nothing", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, orderHook());
    const deep = `${"[".repeat(65)}${"]".repeat(65)}`;
    for (const body of ["{", "\u00ff{}", "undefined", '{"total": [1e400]}', deep]) {
      expect(await send(runtime, path, body)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
    }
    const large = await send(runtime, path, JSON.stringify("x".repeat(1024 * 1024)));
    expect(large).toMatchObject({ status: 413, body: { code: "PAYLOAD_TOO_LARGE" } });
    expect(await countRuns(runtime)).toBe(0);
  });

  test("is not found under an unknown id, after its workflow's deletion, and while another kind of trigger is deployed", async () => {
    const runtime = await testRuntime();
    const { path, workflowId } = await publishHook(runtime, orderHook());
    const schedule = orderHook().replace("kind: webhook", "kind: schedule, mode: interval, seconds: 60");
    const missing = { status: 404, body: { code: "NOT_FOUND" } };
    expect(await send(runtime, "//webhooks/unknown")).toMatchObject(missing);
    await runtime.publish(schedule);
    expect(await send(runtime, path)).toMatchObject(missing);
    expect(await publishHook(runtime, orderHook())).toMatchObject({ path });
    expect((await send(runtime, path)).status).toBe(202);
    await runtime.control("POST", `/control/workflows/${workflowId}/delete`);
    expect(await send(runtime, path)).toMatchObject(missing);
    expect(await publishHook(runtime, orderHook())).toMatchObject({ path });
    expect((await send(runtime, path)).status).toBe(202);
  });

  test("of a paused workflow answers 409 until it is enabled", async () => {
    const runtime = await testRuntime();
    const { path, id } = await publishHook(runtime, orderHook());
    const paused = await runtime.control("POST", `/control/triggers/${id}/disable`);
    expect(paused.body).toMatchObject({ subscription_id: id, status: "paused" });
    expect(await send(runtime, path)).toMatchObject({ status: 409, body: { code: "ACTION_UNAVAILABLE" } });
    // A new version does not resume it.
    await runtime.publish(orderHook().replace("key: at", "key: time"));
    expect((await send(runtime, path)).status).toBe(409);
    await runtime.control("POST", "/control/triggers/On%20order/enable");
    expect((await send(runtime, path)).status).toBe(202);
  });

  test("takes POST alone, and no request that a foreign page makes or that comes under a foreign name", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, orderHook());
    const got = await readAnswer(await runtime.request("GET", path));
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[]) {
      expect(await send(runtime, path, {}, headers)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    }
    const foreign = await send(runtime, path, {}, { host: "hooks.example.org" });
    expect(foreign.status).toBe(403);
    expect(foreign.body.error).toContain("server.webhookBase");
    expect(await countRuns(runtime)).toBe(0);
  });

  test("is reached under server.webhookBase, which reaches nothing else", async () => {
    const runtime = await testRuntime({ webhookBase: "https://hooks.example.org/" });
    const published = await runtime.publish(orderHook());
    const url = published.published[0]?.webhook_url ?? "";
    expect(url).toMatch(/^https:\/\/hooks\.example\.org\/webhooks\/[\w-]{32}$/);
    const headers = { host: "hooks.example.org" };
    expect((await send(runtime, `/${new URL(url).pathname}`, {}, headers)).status).toBe(202);
    expect((await runtime.request("GET", "//healthz", { headers })).status).toBe(403);
  });

  test("of one workspace is nothing to another", async () => {
    const runtime = await testRuntime();
    await runtime.control("POST", "/control/workspaces", { name: "other", tier: "business" });
    const other = { "x-stepgate-workspace": "other" };
    const { path, id } = await publishHook(runtime, orderHook());
    expect((await runtime.control("GET", "/control/triggers", undefined, other)).body).toEqual({ triggers: [] });
    for (const what of ["disable", "fire"]) {
      const answer = await runtime.control("POST", `/control/triggers/${id}/${what}`, {}, other);
      expect(answer).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    }
    const { body } = await send(runtime, path, { id: 1 });
    const list = await runtime.control("GET", "/control/deliveries", undefined, other);
    expect(list.body).toEqual({ deliveries: [] });
    const own = await runtime.control<{ deliveries: { id: string; run_id: string }[] }>("GET", "/control/deliveries");
    expect(own.body.deliveries).toMatchObject([{ run_id: body.run_id }]);
    const again = await runtime.control(
      "POST",
      `/control/deliveries/${own.body.deliveries[0]?.id}/redeliver`,
      {},
      other,
    );
    expect(again.status).toBe(404);
  });
});

describe("limits", () => {
  test("over the hourly cap a run is stored failed without steps, and counts for nothing", async () => {
    const runtime = await testRuntime({ limits: { runsPerHour: 2, autoPauseAfter: 1 } });
    const { path, id } = await publishHook(runtime, orderHook());
    await send(runtime, path);
    await send(runtime, path);
    for (let n = 0; n < 3; n++) {
      const run = await endOf(runtime, await send(runtime, path));
      expect(run).toMatchObject({
        status: "failed",
        error: { code: "RATE_LIMITED", message: "Превышен лимит: не более 2 запусков в час. Повторите позже." },
        steps: [],
        incident_id: null,
        started_at: null,
      });
    }
    expect((await runtime.control("GET", `/control/triggers/${id}`)).body).toMatchObject({ status: "active" });
    runtime.clock.advance(3_600_001);
    expect(await endOf(runtime, await send(runtime, path))).toMatchObject({ status: "succeeded" });
  });

  test("over the monthly quota it fails before any step", async () => {
    const runtime = await testRuntime({ limits: { monthlyRuns: 1 } });
    const { path } = await publishHook(runtime, orderHook());
    await send(runtime, path);
    const run = await endOf(runtime, await send(runtime, path));
    expect(run).toMatchObject({ status: "failed", error: { code: "RATE_LIMITED" }, steps: [] });
  });

  test("beyond the admission bound the sender is told to come again, and there is no run", async () => {
    const runtime = await testRuntime({ limits: { maxQueuedRuns: 1, maxActiveRuns: 1 } });
    const { path } = await publishHook(runtime, orderHook());
    // All of them are created in one turn, before any is taken up.
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(runtime, path)));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ body: { code: "OVERLOADED" } });
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect(await countRuns(runtime)).toBe(8 - refused.length);
  });

  test("ten failures in a row pause the workflow, a person hears of it, and enabling it begins anew", async () => {
    const told: string[] = [];
    const channel = { name: "test", send: async (notice: { event: string }) => void told.push(notice.event) };
    const runtime = await testRuntime({ channels: [channel] });
    const failing = orderHook()
      .replace("type: set", "type: stop_and_error")
      .replace(/data: \{assignments.*/, "data: {errorMessage: no}");
    const { path, id, workflowId } = await publishHook(runtime, failing);
    const fail = async () => endOf(runtime, await send(runtime, path));
    const first = await fail();
    expect(first).toMatchObject({ status: "failed", incident_id: expect.any(String) });
    for (let n = 0; n < 9; n++) await fail();
    expect((await send(runtime, path)).status).toBe(409);
    const incidents = await runtime.control<{ incidents: unknown[] }>("GET", "/control/incidents");
    expect(incidents.body.incidents).toMatchObject([
      { workflow_id: workflowId, runs: 10, status: "open", action_slug: null },
    ]);
    await runtime.settled();
    expect(told).toEqual(expect.arrayContaining(["incident.opened", "workflow.paused"]));
    await runtime.control("POST", `/control/triggers/${id}/enable`);
    for (let n = 0; n < 9; n++) await fail();
    expect((await send(runtime, path)).status).toBe(202);
  });
});

describe("a run by hand", () => {
  test("firing starts a test run, also of a paused workflow, with what a request would bring", async () => {
    const runtime = await testRuntime();
    const { id } = await publishHook(runtime, orderHook());
    await runtime.control("POST", `/control/triggers/${id}/disable`);
    const { body } = await runtime.control<{ run_id: string }>("POST", `/control/triggers/${id}/fire`, {
      body: { id: 7 },
    });
    expect((await runtime.get(`/runs/${body.run_id}?wait=60`)).body).toMatchObject({
      source: "test",
      status: "succeeded",
      input: { body: { id: 7 }, headers: {}, query: {} },
    });
  });

  test("firing with null brings null, as a request would; firing with nothing brings an empty object", async () => {
    const runtime = await testRuntime();
    const { id, path } = await publishHook(runtime, orderHook());
    const fire = async (request: object) =>
      (await runtime.control<{ input: { body: unknown } }>("POST", `/control/triggers/${id}/fire`, request)).body;
    expect([(await fire({ body: null })).input.body, (await fire({})).input.body]).toEqual([null, {}]);
    expect((await endOf(runtime, await send(runtime, path, "null"))).input).toMatchObject({ body: null });
  });

  test("a manual run of an event-driven workflow has its input as the trigger's output; a callable one's is checked", async () => {
    const runtime = await testRuntime();
    const { workflowId } = await publishHook(runtime, orderHook());
    const input = { body: { id: 3 }, timestamp: "2026-01-01T00:00:00Z" };
    const { body } = await runtime.control<{ run_id: string }>("POST", `/control/workflows/${workflowId}/run`, {
      input,
    });
    const run = (await runtime.get<RunDetail>(`/runs/${body.run_id}?wait=60`)).body;
    expect(run).toMatchObject({ source: "manual", input, steps: [{ output: { id: 3 } }] });
    const callable = `
name: Greet
slug: greet
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: name, type: string, required: true}]}}
  - {id: done, type: return_output, data: {properties: [{name: to, type: string, value: "{{action_input.name}}"}]}}
edges: [action_input -> done]
`;
    await runtime.publish(callable);
    const refused = await runtime.control("POST", "/control/workflows/greet/run", { input: {} });
    expect(refused).toMatchObject({ status: 400, body: { code: "INPUT_VALIDATION_FAILED" } });
    const started = await runtime.control("POST", "/control/workflows/greet/run", { input: { name: "Ada" } });
    expect(started.body).toMatchObject({ source: "manual", action_slug: "greet" });
  });

  test("a replay with an input runs with that as the trigger's output", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, orderHook());
    const run = await endOf(runtime, await send(runtime, path, { id: 1 }));
    const again = await runtime.post<{ run_id: string }>(`/runs/${run.run_id}/replay`, { input: { body: { id: 2 } } });
    expect(again.status).toBe(202);
    expect((await runtime.get(`/runs/${again.body.run_id}?wait=60`)).body).toMatchObject({
      source: "replay",
      resume_from_run_id: run.run_id,
      input: { body: { id: 2 } },
      steps: [{ output: { id: 2 } }],
    });
  });
});
