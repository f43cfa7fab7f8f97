import { expect, it } from "vitest";
import type { Json } from "../../src/contract/json.ts";
import { type NodeType, done } from "../../src/engine/node.ts";
import * as z from "zod";
import { withNoop } from "../support/other-noop.ts";
import { RunDriver } from "../support/run-driver.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";

const secret = "canary-secret-0042";

/** A `noop` that keeps what it was called with. */
function spyCatalogue(calls: Json[]): NodeType[] {
  return withNoop({
    config: z.object({ text: z.string().optional(), list: z.array(z.string()).optional() }),
    templates: ["/text", "/list/*"],
    effects: () => "idempotent",
    async run({ config, log }) {
      calls.push(config as Json);
      log(`called with ${config.text ?? ""}`);
      return done({ echo: config.text ?? null });
    },
  });
}

async function withSpy() {
  const calls: Json[] = [];
  const test = await testRuntime({ catalogue: spyCatalogue(calls) });
  return { test, calls };
}

const workflow = (data: string, name = "Call") => `
name: ${name}
slug: ${name.toLowerCase()}
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: who, type: string}]}}
  - {id: call, type: noop, data: ${data}}
  - {id: result, type: return_output, data: {properties: [{name: echo, type: string, value: "{{call.echo}}"}]}}
edges: [action_input -> call, call -> result]
`;

const set = async (test: TestRuntime, kind: "vars" | "secrets", name: string, value: string) => {
  const answer = await test.control("POST", `/control/${kind}/${name}`, { value });
  expect(answer.status).toBe(200);
};

it("a variable and a secret reach the call; the secret is [REDACTED] in everything that is kept", async () => {
  const { test, calls } = await withSpy();
  await set(test, "vars", "GREETING", "Hello");
  await set(test, "secrets", "TOKEN", secret);
  await test.publish(
    workflow('{text: "{{var.GREETING}} {{action_input.who}} {{secret.TOKEN}}", list: ["{{secret.TOKEN}}"]}'),
  );
  const run = await test.runToEnd("call", { who: "Ada" });
  expect(calls).toEqual([{ text: `Hello Ada ${secret}`, list: [secret] }]);
  expect(run).toMatchObject({ status: "succeeded", output: { echo: "Hello Ada [REDACTED]" } });
  const journal = JSON.stringify((await test.get(`/runs/${run.run_id}/events`)).body);
  expect(journal).toContain("Hello Ada [REDACTED]");
  const logs = JSON.stringify((await test.control("GET", `/control/runs/${run.run_id}/logs`)).body);
  expect(logs).toContain("called with Hello Ada [REDACTED]");
  expect([journal, logs, JSON.stringify(run), test.logged.join()].join()).not.toContain(secret);
});

it("in a step's config a secret reads [REDACTED] however short it is", async () => {
  const { test, calls } = await withSpy();
  await set(test, "secrets", "PIN", "42");
  await test.publish(workflow('{text: "{{action_input.who}} {{secret.PIN}}", list: ["{{secret.PIN}}", "a/b~c"]}'));
  const run = await test.runToEnd("call", { who: "42" });
  expect(calls).toEqual([{ text: "42 42", list: ["42", "a/b~c"] }]);
  const { body } = await test.get<{ events: { inputData?: Json }[] }>(`/runs/${run.run_id}/events`);
  expect(body.events.map(({ inputData }) => inputData)).toContainEqual({
    text: "42 [REDACTED]",
    list: ["[REDACTED]", "a/b~c"],
  });
});

it("a secret in an input, an output, a comment or an error is hidden by its value", async () => {
  const { test } = await withSpy();
  await set(test, "secrets", "TOKEN", secret);
  await test.publish(workflow('{text: "{{action_input.who}}"}'));
  const run = await test.runToEnd("call", { who: `x ${secret} y`, nested: { [secret]: encodeURIComponent(secret) } });
  expect(run).toMatchObject({ output: { echo: "x [REDACTED] y" }, input: { who: "x [REDACTED] y" } });
});

it("a missing secret fails the step with its name before anything is called; a missing variable is a missing value", async () => {
  const { test, calls } = await withSpy();
  const { published } = await test.publish(workflow('{text: "{{secret.TOKN}}{{var.WHO}}"}'));
  expect(published[0]?.warnings).toMatchObject([
    {
      code: "unknown_secret",
      path: "/nodes/1/data/text",
      message: expect.stringContaining("stepgate secrets set TOKN"),
    },
    { code: "unknown_variable", node_id: "call", line: expect.any(Number) },
  ]);
  await set(test, "secrets", "TOKEN", secret);
  const failed = await test.runToEnd("call");
  expect(failed).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR", step_id: "call" } });
  expect(failed.error?.message).toBe("The workspace has no secret TOKN; did you mean TOKEN?");
  expect(calls).toEqual([]);
  await set(test, "secrets", "TOKN", "now there");
  expect(await test.runToEnd("call")).toMatchObject({ status: "succeeded" });
  expect(calls).toEqual([{ text: "now there" }]);
});

it("a secret is resolved at the call: a gated step uses the one that was set after its request", async () => {
  const { test, calls } = await withSpy();
  await set(test, "secrets", "TOKEN", secret);
  await test.publish(
    workflow(
      '{text: "{{action_input.who}}:{{secret.TOKEN}}", requireApproval: true, approvalDescription: "use {{secret.TOKEN}}"}',
    ),
  );
  const driver = new RunDriver(test);
  const id = await driver.start("call", { who: "Ada" });
  const waiting = await driver.read(id);
  expect(waiting.approval).toMatchObject({ inputs: { text: "Ada:[REDACTED]" }, description: "use [REDACTED]" });
  await set(test, "secrets", "TOKEN", "replaced-since-then");
  await test.restart();
  await driver.decide(id, "approved", { comment: `was ${secret}, is replaced-since-then` });
  expect(await driver.read(id)).toMatchObject({ status: "succeeded" });
  expect(calls).toEqual([{ text: "Ada:replaced-since-then" }]);
  expect(JSON.stringify(await driver.audit())).not.toContain("replaced-since-then");
});

it("a Filter under a gate runs with the variables that its request showed, and with the secret that is set now", async () => {
  const test = await testRuntime();
  await set(test, "vars", "LEAST", "2");
  await set(test, "secrets", "EXCEPT", "3");
  const above = '{id: a, field: "{{item}}", operator: NUMBER_IS_GREATER_THAN, value: "{{var.LEAST}}"}';
  const other = '{id: b, field: "{{item}}", operator: NUMBER_IS_NOT_EQUAL_TO, value: "{{secret.EXCEPT}}"}';
  await test.publish(`
name: Sieve
slug: sieve
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: list, type: array}]}}
  - {id: sieve, type: filter, data: {requireApproval: true, items: "{{action_input.list}}", combinator: AND, conditions: [${above}, ${other}]}}
  - {id: result, type: return_output, data: {properties: [{name: kept, type: array, value: "{{sieve.items}}"}]}}
edges: [action_input -> sieve, sieve -> result]
`);
  const d = new RunDriver(test);
  const id = await d.start("sieve", { list: [1, 2, 3, 4, 5] });
  const { approval } = await d.read(id);
  expect(approval?.inputs).toMatchObject({
    conditions: [
      { field: "{{item}}", value: "2" },
      { field: "{{item}}", value: "[REDACTED]" },
    ],
  });
  await set(test, "vars", "LEAST", "4");
  await set(test, "secrets", "EXCEPT", "5");
  await d.decide(id, "approved");
  expect(await d.read(id)).toMatchObject({ status: "succeeded", output: { kept: [3, 4] } });
});

it("a secret that was replaced or removed stays hidden while runs may still carry it", async () => {
  const { test } = await withSpy();
  await set(test, "secrets", "TOKEN", secret);
  await set(test, "secrets", "TOKEN", "another-secret");
  await test.control("POST", "/control/secrets/TOKEN/remove");
  await test.publish(workflow('{text: "{{action_input.who}}"}'));
  const run = await test.runToEnd("call", { who: `${secret} another-secret` });
  expect(run.output).toEqual({ echo: "[REDACTED_TOKEN] [REDACTED_TOKEN]" });
});

it("two workspaces have their own values, and neither hides the other's", async () => {
  const { test } = await withSpy();
  await test.control("POST", "/control/workspaces", { name: "team", tier: "pro" });
  const inTeam = { "x-stepgate-workspace": "team" };
  await test.control("POST", "/control/secrets/TOKEN", { value: secret }, inTeam);
  expect((await test.control("GET", "/control/secrets")).body).toEqual({ secrets: [] });
  expect((await test.control("GET", "/control/secrets", undefined, inTeam)).body).toMatchObject({
    secrets: [{ name: "TOKEN" }],
  });
  expect((await test.control("POST", "/control/secrets/TOKEN/remove")).status).toBe(404);
  await test.publish(workflow('{text: "{{action_input.who}}"}'));
  expect(await test.runToEnd("call", { who: secret })).toMatchObject({ output: { echo: secret } });
  await test.publish(workflow('{text: "{{secret.TOKEN}}"}', "Other"));
  expect(await test.runToEnd("other")).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR" } });
});

it("names and sizes are checked, and no list ever shows a secret", async () => {
  const { test } = await withSpy();
  await set(test, "secrets", "TOKEN", secret);
  const listed = await test.control("GET", "/control/secrets");
  expect(listed.body).toEqual({
    secrets: [{ name: "TOKEN", created_at: expect.any(String), updated_at: expect.any(String) }],
  });
  for (const [path, body] of [
    ["secrets/1A", { value: "x" }],
    ["secrets/A.B", { value: "x" }],
    ["secrets/A", { value: "" }],
    ["secrets/A", { value: 4711 }],
    ["vars/A", { value: "x".repeat(65_537) }],
    ["vars/A", { valu: "x" }],
  ] as const) {
    expect([path, (await test.control("POST", `/control/${path}`, body)).status]).toEqual([path, 400]);
  }
  await set(test, "vars", "__proto__", "kept");
  expect((await test.control("GET", "/control/vars")).body).toMatchObject({ vars: [{ name: "__proto__" }] });
});
