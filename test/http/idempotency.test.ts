import { expect, it } from "vitest";
import type { Run } from "../../src/contract/run.ts";
import { type TestRuntime, bearer, readAnswer, testRuntime } from "../support/runtime.ts";
import { greet, pass } from "../support/workflows.ts";

const hour = 3_600_000;

/** A request under an idempotency key. */
async function run(runtime: TestRuntime, key: string, body: object, slug = "greet", secret = runtime.secret) {
  const headers = { ...bearer(secret), "idempotency-key": key };
  const init = { headers, body: JSON.stringify(body) };
  return readAnswer<Run & { code?: string }>(await runtime.request("POST", `/actions/${slug}/run`, init));
}

const ada = { input: { name: "Ada", times: 1 } };
const isReplayed = ({ headers }: { headers: Headers }) => headers.get("idempotent-replayed");

async function ready(options: Parameters<typeof testRuntime>[0] = {}): Promise<TestRuntime> {
  const runtime = await testRuntime(options);
  await runtime.publish(greet);
  return runtime;
}

it("the same request under its key gets the first run as it stands, and starts nothing", async () => {
  const runtime = await ready();
  const first = await run(runtime, "k", ada);
  expect([first.status, isReplayed(first), first.body.status]).toEqual([202, null, "accepted"]);
  await runtime.get(`/runs/${first.body.run_id}?wait=60`);
  const reordered = { dry_run: false, input: { times: 1, name: "Ada" } };
  const again = await run(runtime, "k", reordered);
  expect([again.status, isReplayed(again)]).toEqual([202, "true"]);
  expect(again.body).toMatchObject({ run_id: first.body.run_id, status: "succeeded", output: { text: "Hello Ada" } });
  expect((await runtime.get("/runs")).body["total"]).toBe(1);
});

it("a hundred at once start one run", async () => {
  const runtime = await ready();
  const answers = await Promise.all(Array.from({ length: 100 }, () => run(runtime, "k", ada)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
  expect(answers.filter((answer) => isReplayed(answer) === null)).toHaveLength(1);
});

const others: [name: string, body: object][] = [
  ["another input", { input: { name: "Bob", times: 1 } }],
  ["a dry run of it", { ...ada, dry_run: true }],
  ["an input that the schema refuses", { input: {} }],
];

it.each(others)("under a key that was used, %s is a conflict", async (_, body) => {
  const runtime = await ready();
  await run(runtime, "k", ada);
  const answer = await run(runtime, "k", body);
  expect([answer.status, answer.body.code]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
  expect((await runtime.get("/runs")).body["total"]).toBe(1);
});

it("of different requests at once under one key, one wins and the others are told of the conflict", async () => {
  const runtime = await ready();
  const answers = await Promise.all([1, 2, 3, 4].map((times) => run(runtime, "k", { input: { name: "Ada", times } })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409, 409]);
});

it("a key belongs to its workspace and action", async () => {
  const runtime = await ready();
  await runtime.publish(pass);
  await runtime.control("POST", "/control/workspaces", { name: "other", tier: "business" });
  const inOther = { "x-stepgate-workspace": "other" };
  const files = [{ file: "greet.yaml", text: greet }];
  await runtime.control("POST", "/control/publish", { files }, inOther);
  const { body: minted } = await runtime.control<{ secret: string }>("POST", "/control/keys", { name: "x" }, inOther);
  const answers = [
    await run(runtime, "k", ada),
    await run(runtime, "k", ada, "pass"),
    await run(runtime, "k", ada, "greet", minted.secret),
  ];
  expect(answers.map((answer) => [answer.status, isReplayed(answer)])).toEqual(answers.map(() => [202, null]));
  expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(3);
});

it("a key stands for its run for 24 hours, then it is free", async () => {
  const runtime = await ready();
  const first = await run(runtime, "k", ada);
  runtime.clock.advance(24 * hour - 1);
  expect((await run(runtime, "k", ada)).body.run_id).toBe(first.body.run_id);
  runtime.clock.advance(1);
  const next = await run(runtime, "k", { input: { name: "Bob" } });
  expect([next.status, isReplayed(next)]).toEqual([202, null]);
});

it("a repeat costs a request of the rate and no run of the hourly cap", async () => {
  const runtime = await ready({ limits: { runsPerHour: 1 } });
  const first = await run(runtime, "k", ada);
  const again = await run(runtime, "k", ada);
  expect(again.status).toBe(202);
  const left = (answer: { headers: Headers }) => Number(answer.headers.get("x-ratelimit-remaining"));
  expect(left(first) - left(again)).toBe(1);
  expect((await run(runtime, "other", ada)).status).toBe(429);
});

it("a request that was refused leaves its key free", async () => {
  const runtime = await ready();
  expect((await run(runtime, "k", { input: {} })).status).toBe(400);
  expect((await run(runtime, "k", ada, "missing")).status).toBe(404);
  const answer = await run(runtime, "k", ada);
  expect([answer.status, isReplayed(answer)]).toEqual([202, null]);
});

it.each(["", "x".repeat(256), "a\tb", "é"])("the key %j is refused", async (key) => {
  const runtime = await ready();
  const answer = await run(runtime, key, ada);
  expect([answer.status, answer.body.code]).toEqual([400, "BAD_REQUEST"]);
});

it("the scope and the shape come before the key", async () => {
  const runtime = await ready();
  await run(runtime, "k", ada);
  const reader = await runtime.mintKey(["runs:read"]);
  expect((await run(runtime, "k", ada, "greet", reader.secret)).status).toBe(403);
  expect((await run(runtime, "k", { ...ada, unknown: 1 })).status).toBe(400);
});

it("a repeat gets its run although the action would not take the request any more", async () => {
  const runtime = await ready({ limits: { maxQueuedRuns: 1 } });
  const first = await run(runtime, "k", ada);
  const stricter = greet.replace(
    "type: integer}",
    "type: integer}\n        - {name: title, type: string, required: true}",
  );
  await runtime.publish(stricter, { allow_breaking: true });
  expect((await run(runtime, "new", ada)).body.code).toBe("INPUT_VALIDATION_FAILED");
  const again = await run(runtime, "k", ada);
  expect([again.status, again.body.run_id, isReplayed(again)]).toEqual([202, first.body.run_id, "true"]);
});

it("a key stands for its run over a restart", async () => {
  const runtime = await ready();
  const first = await run(runtime, "k", ada);
  await runtime.restart(3 * hour);
  const again = await run(runtime, "k", ada);
  expect([again.body.run_id, isReplayed(again)]).toEqual([first.body.run_id, "true"]);
  expect((await run(runtime, "k", { input: { name: "Bob" } })).status).toBe(409);
});

it("the MCP tool takes the key as an argument, and shares it with REST", async () => {
  const runtime = await ready();
  const first = await run(runtime, "k", ada);
  const call = async (args: object) => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "run_action", arguments: args } };
    const headers = {
      ...bearer(runtime.secret),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const answer = await runtime.request("POST", "//mcp", { headers, body: JSON.stringify(body) });
    const { result } = (await answer.json()) as { result: { content: { text: string }[] } };
    return JSON.parse(result.content[0]?.text ?? "null") as Partial<Run> & { code?: string };
  };
  expect((await call({ slug: "greet", ...ada, idempotency_key: "k" })).run_id).toBe(first.body.run_id);
  expect((await call({ slug: "greet", input: {}, idempotency_key: "k" })).code).toBe("IDEMPOTENCY_CONFLICT");
});

it("over REST the key is a header, nothing else", async () => {
  const runtime = await ready();
  const { body } = await runtime.post("/actions/greet/run", { ...ada, idempotency_key: "k" });
  expect(body["details"]).toEqual([
    { field: "idempotency_key", message: "idempotency_key belongs in the header, not in the body" },
  ]);
});
