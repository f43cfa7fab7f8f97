import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { PublishResult } from "../../src/contract/control.ts";
import type { RunLogPage } from "../../src/contract/run-log.ts";
import { dyingStore } from "../support/dying-store.ts";
import { openDisk, startRuntime } from "../support/process.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";

/** A workflow of one script; `data` goes beside its code. */
function workflow(code: string, data = ""): string {
  const indented = code.replaceAll(/^(?=.)/gm, "        ");
  return `name: Script
slug: script
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: n, type: integer, default: 3}]}}
  - id: work
    type: code
    data:
      fieldMappings: {n: "{{action_input.n}}", text: "n is {{action_input.n}}", gone: "{{action_input.gone}}"}
      ${data}
      code: |
${indented}
  - {id: result, type: return_output, data: {properties: []}}
edges: [action_input -> work, work -> result]
`;
}

async function runCode(code: string, data?: string) {
  const runtime = await testRuntime();
  await runtime.publish(workflow(code, data));
  return { runtime, run: await runtime.runToEnd("script") };
}

/** Settles when a run of a script is seen to be under way: that takes some milliseconds, as most scripts are over by then. */
async function seenRunning(runtime: TestRuntime, runId: string): Promise<void> {
  const seen = runtime.started(runId).then(() => true);
  const pass = async () => {
    runtime.clock.advance(10);
    return setImmediate(false);
  };
  while (!(await Promise.race([seen, pass()])));
}

async function logsOf(runtime: TestRuntime, runId: string): Promise<RunLogPage> {
  return (await runtime.control<RunLogPage>("GET", `/control/runs/${runId}/logs`)).body;
}

it("a TypeScript function gets its mapped fields, and its result is the step's output", async () => {
  const { run } = await runCode(`type Inputs = { n: number; text: string };

export async function run(inputs: Inputs, utils: { now(): string }): Promise<object> {
  const keys: string[] = Object.keys(inputs);
  return { double: inputs.n * 2, text: inputs.text, keys, now: utils.now().slice(0, 13) };
}`);
  expect(run).toMatchObject({
    status: "succeeded",
    output: { double: 6, text: "n is 3", keys: ["n", "text"], now: "2026-01-15T10" },
  });
});

it("an error keeps its message and the line of the script, and is told from a time-out", async () => {
  const { run } = await runCode(`interface Row { total: number }

export const run = ({ n }: { n: number }): Row => {
  throw new RangeError("too many: " + n);
};`);
  expect(run).toMatchObject({
    status: "failed",
    error: {
      code: "CODE_EXECUTION_FAILED",
      message: "too many: 3 (line 4, column 9)",
      step_id: "work",
      details: { name: "RangeError", line: 4, column: 9 },
    },
  });
});

it("an error that is continued is the step's output", async () => {
  const { run } = await runCode("export const run = () => { throw new Error('no') }", "continueOnFailure: true");
  expect(run).toMatchObject({
    status: "succeeded",
    output: { error: { code: "CODE_EXECUTION_FAILED", message: "no (line 1, column 34)" } },
  });
});

it("nothing returned is null", async () => {
  const { run } = await runCode("export const run = () => {}");
  expect(run).toMatchObject({ status: "succeeded", output: null });
});

it("the step's watchdog ends a script that does not end, and the next one runs", async () => {
  const runtime = await testRuntime();
  await runtime.publish(workflow("export const run = ({ n }) => { for (;n === 3;); return n }"));
  const started = await runtime.post<{ run_id: string }>("/actions/script/run", { input: {} });
  await seenRunning(runtime, started.body.run_id);
  runtime.clock.advance(30_000);
  const { body } = await runtime.get(`/runs/${started.body.run_id}?wait=60`);
  expect(body).toMatchObject({ error: { code: "TIMEOUT", step_id: "work" } });
  expect(await runtime.runToEnd("script", { n: 4 })).toMatchObject({ status: "succeeded", output: 4 });
});

it("a script that the daemon's stop breaks off runs again after the next start", async () => {
  const { store } = await openDisk();
  const first = await startRuntime(store);
  await first.publish(workflow("export const run = async (_, utils) => { await utils.sleep(200); return 'done' }"));
  const { body } = await first.post<{ run_id: string }>("/actions/script/run", { input: {} });
  await seenRunning(first, body.run_id);
  await first.end();
  expect(await store.findRun(1, body.run_id)).toMatchObject({ status: "running" });
  const second = await startRuntime(store);
  expect((await second.get(`/runs/${body.run_id}?wait=60`)).body).toMatchObject({
    status: "succeeded",
    output: "done",
  });
});

it("the console is kept with its run, redacted, and is no part of the output", async () => {
  const { runtime, run } = await runCode(`export const run = (_, utils) => {
  console.log("mail", "ada@example.com", { n: 1 });
  utils.log("key", "sgt_" + "x".repeat(32));
  return 1;
}`);
  expect(run.output).toBe(1);
  expect(await logsOf(runtime, run.run_id)).toEqual({
    logs: [
      {
        seq: 1,
        step_id: "work",
        iteration: null,
        attempt: 1,
        text: 'mail [REDACTED_EMAIL] {"n":1}',
        created_at: "2026-01-15T10:00:00.000Z",
      },
      expect.objectContaining({ seq: 2, text: "key sgt_xxxx…" }),
    ],
    next_after: 2,
  });
  expect((await runtime.control("GET", `/control/runs/${crypto.randomUUID()}/logs`)).status).toBe(404);
});

it("a script that can't be run is a publish error with its place in the file", async () => {
  const cases: [code: string, line: number, column: number, message: RegExp][] = [
    ["export const run = () => {\n  return 1 +;\n};", 12, 21, /Expression expected/],
    ["const a = 1;\nexport enum Colour { Red }", 12, 16, /enum is more than a type/],
    ["\nconst x = 1;", 11, 1, /exports no function/],
    ['import fs from "node:fs";\nexport const run = () => fs', 11, 24, /imports "node:fs"/],
    ["const x = null;\n\nx.y;\nexport const run = () => 1", 13, 11, /fails while it loads/],
  ];
  const runtime = await testRuntime();
  const files = cases.map(([code], index) => ({
    file: `${index}.yaml`,
    text: workflow(code).replace("slug: script", `slug: script-${index}`),
  }));
  const { body } = await runtime.control<PublishResult>("POST", "/control/publish", { files });
  expect(body.published).toEqual([]);
  expect(body.failed.map(({ issues }) => issues)).toEqual(
    cases.map(([, line, column, message]) => [
      {
        severity: "error",
        code: "invalid_code",
        message: expect.stringMatching(message),
        node_id: "work",
        path: "/nodes/1/data/code",
        line,
        column,
      },
    ]),
  );
});

it("a script's problems are told along with all others", async () => {
  const runtime = await testRuntime();
  const text = workflow("export const run = 1 +").replace("{{action_input.n}}", "{{nobody.n}}");
  const { body } = await runtime.control<PublishResult>("POST", "/control/publish", {
    files: [{ file: "a.yaml", text }],
  });
  expect(body.failed[0]?.issues.map(({ node_id, code }) => [node_id, code])).toEqual([
    ["work", expect.not.stringContaining("invalid_code")],
    ["work", "invalid_code"],
  ]);
});

it("brief scripts in a row are written together with the run's end, in one commit", async () => {
  const { store } = await openDisk();
  const counted = dyingStore(store, Number.POSITIVE_INFINITY, "before");
  const runtime = await startRuntime(counted);
  const script = 'data: {code: "export const run = () => 1"}';
  await runtime.publish(`name: Scripts
slug: scripts
nodes:
  - {id: action_input, type: action_input, data: {properties: []}}
  - {id: one, type: code, ${script}}
  - {id: two, type: code, ${script}}
  - {id: three, type: code, ${script}}
  - {id: result, type: return_output, data: {properties: []}}
edges: [action_input -> one, one -> two, two -> three, three -> result]
`);
  expect(await runtime.runToEnd("scripts")).toMatchObject({ status: "succeeded" });
  expect(counted.commits()).toBe(1);
});
