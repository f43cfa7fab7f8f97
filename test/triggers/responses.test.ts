import { describe, expect, test } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { answering, publishHook, send } from "../support/webhooks.ts";

/** Sends a request and reads the answer as it is. */
async function ask(runtime: TestRuntime, path: string, body: unknown = {}, headers: Record<string, string> = {}) {
  const response = await runtime.request("POST", path, { body: JSON.stringify(body), headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function newestRun(runtime: TestRuntime): Promise<RunDetail> {
  const { runs } = await runtime.store.listRuns({ workspaceId: 1, limit: 1, offset: 0 });
  return (await runtime.get<RunDetail>(`/runs/${runs[0]?.id}?wait=60`)).body;
}

describe("Respond to Webhook", () => {
  const answers: [what: string, respond: string, status: number, type: string | null, text: string][] = [
    [
      "a value as JSON",
      '{mode: json, body: "{{trigger.output.body}}"}',
      200,
      "application/json",
      '{"n":1,"s":"a\\"b","code":201}',
    ],
    [
      "an object with templates",
      '{mode: json, body: {got: "{{trigger.output.body.s}}"}}',
      200,
      "application/json",
      '{"got":"a\\"b"}',
    ],
    [
      "a text that is JSON",
      `{mode: json, body: '{"n": {{trigger.output.body.n}}}'}`,
      200,
      "application/json",
      '{"n": 1}',
    ],
    [
      "a text as it is",
      '{mode: text, statusCode: 418, body: "n is {{trigger.output.body.n}}"}',
      418,
      "text/plain; charset=utf-8",
      "n is 1",
    ],
    ["no body", '{mode: no_body, statusCode: 204, body: "not sent"}', 204, null, ""],
    [
      "a status of a template",
      '{mode: text, statusCode: "{{trigger.output.body.code}}", body: made}',
      201,
      "text/plain; charset=utf-8",
      "made",
    ],
  ];
  test.each(answers)("sends %s", async (_, respond, status, type, text) => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, answering(respond));
    const answer = await ask(runtime, path, { n: 1, s: 'a"b', code: 201 });
    expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([status, type, text]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    const run = await newestRun(runtime);
    expect(run).toMatchObject({ status: "succeeded", steps: [{ output: { responded: true, statusCode: status } }] });
    const record = await runtime.store.findRun(1, run.run_id);
    expect(record?.http).toEqual({
      requestId: expect.any(String),
      handlerId: runtime.runtime.services.responses.handlerId,
    });
  });

  test("sends headers, whose values are templates", async () => {
    const runtime = await testRuntime();
    const headers = '{X-Order: "{{trigger.output.body.id}}", Content-Type: text/csv}';
    const { path } = await publishHook(runtime, answering(`{mode: text, headers: ${headers}, body: "a;b"}`));
    const answer = await ask(runtime, path, { id: "o-1" });
    expect([answer.headers.get("x-order"), answer.headers.get("content-type")]).toEqual(["o-1", "text/csv"]);
  });

  test.each([
    "Set-Cookie",
    "Transfer-Encoding",
    "Connection",
    "Access-Control-Allow-Origin",
    "Content-Length",
    "Content-Security-Policy",
  ])("is not published with the header %s", async (name) => {
    const runtime = await testRuntime();
    await expect(runtime.publish(answering(`{mode: text, headers: {${name}: x}, body: a}`))).rejects.toThrow(
      "bad_header",
    );
  });

  const failing: [what: string, respond: string, message: string][] = [
    ["a body that is no JSON", '{mode: json, body: "{{trigger.output.body.s}}"}', "valid JSON"],
    ["a missing body", '{mode: json, body: "{{trigger.output.body.none}}"}', "valid JSON"],
    ["a header with a line break", '{mode: text, headers: {x-a: "{{trigger.output.body.nl}}"}, body: a}', "x-a"],
    ["a status out of range", '{mode: text, statusCode: "{{trigger.output.body.big}}", body: a}', "100 to 599"],
    ["an interim status", "{mode: text, statusCode: 103, body: a}", "103"],
  ];
  test.each(failing)("fails at %s, and the caller gets the run's error", async (_, respond, message) => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, answering(respond));
    const answer = await send(runtime, path, { s: "no json", nl: "a\r\nset-cookie: b", big: 700 });
    expect(answer.status).toBe(500);
    const run = await newestRun(runtime);
    expect(run.error?.message).toContain(message);
    expect(answer.body).toEqual({ error: run.error?.message, code: "VALIDATION_ERROR", run_id: run.run_id });
  });

  test("fails where nobody waits: of a webhook that answers at once, and the second time", async () => {
    const runtime = await testRuntime();
    const immediate = answering("{mode: text, body: a}").replace(", respondMode: respond_node", "");
    const { path } = await publishHook(runtime, immediate);
    expect((await send(runtime, path)).status).toBe(202);
    const error = { code: "UNKNOWN", message: "respond_to_webhook: no pending HTTP response" };
    expect(await newestRun(runtime)).toMatchObject({ status: "failed", error });
    const again = "- {id: again, type: respond_to_webhook, data: {mode: text, body: b}}";
    const twice = await publishHook(
      runtime,
      answering("{mode: text, body: a}", again, "trigger -> answer, answer -> again", "Twice"),
    );
    expect((await ask(runtime, twice.path)).text).toBe("a");
    expect(await newestRun(runtime)).toMatchObject({ status: "failed", error: { ...error, step_id: "again" } });
  });
});

describe("a caller who waits", () => {
  test("hears when the run ends without a response, and when it fails", async () => {
    const runtime = await testRuntime();
    const condition =
      "- {id: is, type: condition, data: {combinator: AND, conditions: [{id: c, field: '{{trigger.output.body.yes}}', operator: BOOLEAN_IS_TRUE}]}}";
    const text = answering("{mode: text, body: a}", condition, "trigger -> is, is.true -> answer");
    const { path } = await publishHook(runtime, text);
    expect((await ask(runtime, path, { yes: true })).text).toBe("a");
    const silent = await send(runtime, path, { yes: false });
    expect(silent).toMatchObject({ status: 500, body: { code: "WORKFLOW_ENDED_WITHOUT_RESPONSE" } });
    expect(silent.body.run_id).toBe((await newestRun(runtime)).run_id);
    const stop = "- {id: stop, type: stop_and_error, data: {errorMessage: Sold out, errorCode: SOLD_OUT}}";
    const failing = `name: Failing
nodes:
  - {id: trigger, type: trigger, data: {kind: webhook, respondMode: respond_node}}
  ${stop}
edges: [trigger -> stop]
`;
    const failed = await send(runtime, (await publishHook(runtime, failing)).path);
    expect(failed).toMatchObject({ status: 500, body: { error: "Sold out", code: "SOLD_OUT" } });
    expect(Object.keys(failed.body)).toEqual(["error", "code", "run_id"]);
  });

  test("of a run that waits gets 504 after 30 s, and the run goes on", async () => {
    const runtime = await testRuntime();
    const wait = "- {id: pause, type: wait, data: {mode: duration, amount: 2, unit: minutes}}";
    const { path } = await publishHook(
      runtime,
      answering("{mode: text, body: a}", wait, "trigger -> pause, pause -> answer"),
    );
    const asked = send(runtime, path);
    await runtime.settled();
    runtime.clock.advance(29_999);
    await runtime.settled();
    runtime.clock.advance(1);
    const answer = await asked;
    expect(answer).toMatchObject({ status: 504, body: { code: "TIMEOUT", run_id: expect.any(String) } });
    const open = await runtime.get(`/runs/${answer.body.run_id}`);
    expect(open.body).toMatchObject({ status: "waiting" });
    runtime.clock.advance(120_000);
    // Nobody waits any more.
    expect(await newestRun(runtime)).toMatchObject({
      status: "failed",
      error: { message: "respond_to_webhook: no pending HTTP response", step_id: "answer" },
    });
    const log = await runtime.control<{ deliveries: object[] }>("GET", "/control/deliveries");
    expect(log.body.deliveries).toMatchObject([{ status: 504, run_id: answer.body.run_id }]);
  });

  test("gets an answer that comes after a short wait, and publishing has warned of it", async () => {
    const runtime = await testRuntime();
    const wait = "- {id: pause, type: wait, data: {mode: duration, amount: 10, unit: seconds}}";
    const text = answering("{mode: text, body: a}", wait, "trigger -> pause, pause -> answer");
    const published = await runtime.publish(text);
    expect(published.published[0]?.warnings.map(({ code }) => code)).toEqual(["response_may_be_late"]);
    const asked = ask(runtime, `/${new URL(published.published[0]?.webhook_url ?? "").pathname}`);
    await runtime.settled();
    runtime.clock.advance(10_000);
    expect((await asked).text).toBe("a");
  });

  test("that asks again under the same id gets the first answer, at once, later and after a restart", async () => {
    const runtime = await testRuntime();
    const body = '{id: "{{run.id}}", mail: "{{trigger.output.body.mail}}"}';
    const { path } = await publishHook(
      runtime,
      answering(`{mode: json, statusCode: 201, headers: {x-a: b}, body: ${body}}`),
    );
    const headers = { "webhook-id": "msg-1" };
    const both = await Promise.all([1, 2].map(() => ask(runtime, path, { mail: "ada@example.org" }, headers)));
    const [first] = both;
    expect(first?.status).toBe(201);
    // Redaction has hidden it in the journal, and not from the caller.
    expect(first?.text).toContain("ada@example.org");
    await runtime.restart();
    const later = await ask(runtime, path, {}, headers);
    for (const answer of [...both, later]) {
      expect([answer.status, answer.text, answer.headers.get("x-a")]).toEqual([201, first?.text, "b"]);
    }
    expect((await runtime.store.listRuns({ workspaceId: 1, limit: 9, offset: 0 })).total).toBe(1);
  });

  test("is gone after a crash: the node fails", async () => {
    const runtime = await testRuntime();
    const wait = "- {id: pause, type: wait, data: {mode: duration, amount: 20, unit: seconds}}";
    const { path } = await publishHook(
      runtime,
      answering("{mode: text, body: a}", wait, "trigger -> pause, pause -> answer"),
    );
    const asked = send(runtime, path);
    await runtime.settled();
    await runtime.restart(20_000);
    expect(await asked).toMatchObject({ status: 503, body: { code: "OVERLOADED", run_id: expect.any(String) } });
    expect(await newestRun(runtime)).toMatchObject({
      status: "failed",
      error: { message: "respond_to_webhook: no pending HTTP response" },
    });
  });

  test("hears of the hourly cap", async () => {
    const runtime = await testRuntime({ limits: { runsPerHour: 1 } });
    const { path } = await publishHook(runtime, answering("{mode: text, body: a}"));
    await ask(runtime, path);
    expect(await send(runtime, path)).toMatchObject({ status: 500, body: { code: "RATE_LIMITED" } });
  });
});
