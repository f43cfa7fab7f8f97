import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestFileResult } from "../../src/contract/workflow-test.ts";
import { launcher, stepgate } from "../support/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "stepgate-tests-"));
beforeAll(() => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gate = `name: Gate
slug: gate
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: url, type: string, required: true}]}}
  - {id: pause, type: wait, data: {mode: duration, amount: 20, unit: days}}
  - {id: pay, type: connector, data: {connector: http, operation: request, requireApproval: true, input: {method: POST, url: "{{action_input.url}}"}}}
  - {id: choice, type: condition, data: {combinator: AND, conditions: [{id: c, field: "{{pay.status}}", operator: NUMBER_IS_EQUAL_TO, value: 200}]}}
  - {id: ok, type: return_output, data: {properties: [{name: at, type: string, value: "{{pause.resumeAt}}"}]}}
  - {id: bad, type: stop_and_error, data: {errorMessage: not paid}}
edges: [action_input -> pause, pause -> pay, pay -> choice, choice.true -> ok, choice.false -> bad]
`;

const input = '{url: "https://shop.example"}';
const gateTests = `- name: twenty days pass at once
  now: 2026-03-01T00:00:00Z
  input: ${input}
  approvals: {pay: approve}
  mocks: {pay: {output: {status: 200}}}
  expect:
    status: succeeded
    output: {at: "2026-03-21T00:00:00.000Z"}
    steps: {bad: skipped}
    journal: [step_started pause, step_waiting, step_completed pause, step_pending_approval pay, step_started pay, step_completed pay, step_started choice, step_completed choice, step_started ok, step_completed ok, step_skipped bad]
- name: a person says no
  input: ${input}
  approvals: reject
  expect: {status: cancelled}
- name: nobody decides
  input: ${input}
  expect: {status: waiting_for_approval, error: null, steps: {pay: pending_approval}}
- name: nothing answers for pay
  input: ${input}
  approvals: approve
  expect: {status: succeeded}
- name: the output is another one
  input: ${input}
  approvals: approve
  mocks: {pay: {output: {status: 200}}}
  expect: {status: succeeded, output: {at: never, more: 1}}
- name: an answer stands below the check of the call
  input: {url: ""}
  approvals: approve
  mocks: {pay: {output: {status: 200}}}
  expect: {status: failed, error: {code: VALIDATION_ERROR, step_id: pay}}
`;

const assistant = `name: Assistant
slug: assistant
approval_policy: always
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: question, type: string, required: true}]}}
  - {id: find, type: rag_retrieve, data: {query: "{{action_input.question}}", vectorStoreUrl: "https://vectors.example", bodyTemplate: {vector: "{{embedding}}"}, headers: {x-key: "{{secret.VECTORS}}"}}}
  - {id: answer, type: llm, data: {provider: anthropic, model: "{{var.MODEL}}", userPromptTemplate: "{{action_input.question}} {{find.retrievedDocuments}}", maxRetries: 2}}
  - {id: note, type: connector, data: {connector: our-crm, operation: note, connectionId: crm-1, continueOnFailure: true, input: {text: "{{answer.text}}"}}}
  - {id: count, type: code, data: {fieldMappings: {text: "{{answer.text}}"}, code: "export const run = ({ text }: { text: string }, utils: { now(): string }) => ({ letters: text.length, day: utils.now().slice(0, 10) });"}}
  - {id: done, type: return_output, data: {properties: [{name: letters, type: number, value: "{{count.letters}}"}, {name: day, type: string, value: "{{count.day}}"}]}}
edges: [action_input -> find, find -> answer, answer -> note, note -> count, count -> done]
`;

const assistantTests = `- name: models, stores, services and a busy provider are answered for, the script runs
  now: 2026-05-01T08:00:00Z
  input: {question: Who?}
  vars: {MODEL: some-model}
  secrets: {VECTORS: made-up}
  approvals: {run: approve}
  mocks:
    find: {output: {retrievedDocuments: [], documentCount: 0}}
    answer: [{error: {code: LLM_FAILED, retryable: true}}, {output: {text: Ada}}]
    note: {error: {code: UPSTREAM_ERROR, message: the service is down}}
  expect:
    status: succeeded
    steps: {note: failed_continued, answer: completed}
    output: {letters: 3, day: "2026-05-01"}
- name: a prompt that is empty is refused before the model is asked
  input: {question: Who?}
  approvals: approve
  secrets: {VECTORS: made-up}
  mocks: {find: {output: {}}, answer: {output: {text: never}}}
  expect: {status: failed, error: VALIDATION_ERROR}
- name: no error is expected where there is one
  input: {question: Who?}
  approvals: approve
  secrets: {VECTORS: made-up}
  mocks: {find: {output: {}}, answer: {output: {text: never}}}
  expect: {status: failed, error: null}
`;

const files = {
  "gate.yaml": gate,
  "gate.test.yaml": gateTests,
  "assistant.yaml": assistant,
  "assistant.test.yaml": assistantTests,
  "wrong.yml": gate.replace("slug: gate", "slug: wrong"),
  "wrong.test.yml": `- name: a
  inptu: {}
  expect: {status: succeded}
`,
  "named.json": JSON.stringify({ name: "Named", slug: "named", nodes: [{ id: "a", type: "noop" }], edges: [] }),
  "named.test.yaml": "- name: a\n  expect: {status: succeeded}\n",
  "names.yaml": gate.replace("slug: gate", "slug: names"),
  "names.test.yaml": `- name: a
  trigger: {}
  mocks:
    paay: {output: 1}
    choice: {output: 1}
  approvals: {payy: approve}
  expect:
    status: succeeded
    steps: {okk: completed}
    journal: [step_complete ok, step_completed okk]
- name: a
  expect: {status: succeeded}
`,
};

type Answer = { ok: boolean; passed: number; failed: number; invalid: number; files: TestFileResult[] };

it("cases run on the real engine without a daemon; what fails makes the exit 1, with a report for CI", async () => {
  const junit = join(folder, "report.xml");
  const paths = ["assistant.yaml", "gate.test.yaml"].map((name) => join(folder, name));
  const { code, stdout, stderr } = await stepgate(folder, ["test", ...paths, "--json", "--junit", junit]);
  const answer = JSON.parse(stdout) as Answer;
  const [assisted, gated] = answer.files;
  expect(assisted?.issues).toMatchObject([{ code: "unchecked_connector", severity: "warning", line: 8 }]);
  expect(assisted?.cases.map(({ ok, failures }) => [ok, failures])).toEqual([
    [true, []],
    [true, []],
    [false, [expect.objectContaining({ what: "error", expected: null })]],
  ]);
  expect(gated?.cases.map(({ ok }) => ok)).toEqual([true, true, true, false, false, true]);
  expect(gated?.cases[3]?.failures).toMatchObject([{ what: "mocks.pay" }, { what: "status", received: "failed" }]);
  expect(gated?.coverage).toEqual({
    nodes: { total: 6, unreached: ["bad"] },
    handles: { total: 2, unreached: ["choice.false"] },
  });
  expect(answer).toMatchObject({ ok: false, passed: 6, failed: 3, invalid: 0 });
  expect([code, JSON.parse(stderr)]).toMatchObject([1, { code: "TESTS_FAILED" }]);
  const report = readFileSync(junit, "utf8");
  expect(report).toMatch(/<testsuites tests="9" failures="3"/);
  expect(report).toContain('-   "at": "never"');
});

it("what differs is shown line by line, and what no case reached", async () => {
  const { stdout } = await stepgate(folder, ["test", join(folder, "gate.yaml")]);
  const lines = stdout.split("\n").map((line) => line.trimEnd());
  expect(lines).toContain('      -   "more": 1');
  expect(lines).toContain('      +   "at": "2026-01-21T00:00:00.000Z"');
  expect(lines).toContain("  never reached: bad, choice.false");
  expect(stdout).toContain("give one under mocks.pay");
});

it("files that are wrong are told of with their places and the nearest names, and exit 7", async () => {
  const [wrong, names, named] = ["wrong.test.yml", "names.test.yaml", "named.json"].map((name) => join(folder, name));
  const { code, stdout } = await stepgate(folder, ["test", wrong, names, named].map(String));
  expect(code).toBe(7);
  const problems = stdout.split("\n").filter((line) => line.includes(" error "));
  expect(problems.map((line) => line.slice(folder.length + 1).replace(/ \(.*/, ""))).toEqual([
    "wrong.test.yml:2:3 error There is no field inptu here; did you mean input?",
    expect.stringMatching(/^wrong\.test\.yml:3:20 error .*did you mean succeeded\?$/),
    'names.test.yaml:11:9 error Another case is called "a" already; give each its own name',
    expect.stringMatching(/^names\.test\.yaml:2:3 error The workflow is callable/),
    "names.test.yaml:4:5 error The workflow has no node paay; did you mean pay?",
    "names.test.yaml:6:21 error The workflow has no node payy; did you mean pay?",
    "names.test.yaml:9:18 error The workflow has no node okk; did you mean ok?",
    expect.stringMatching(/^names\.test\.yaml:5:5 error choice is a condition and runs for real/),
    expect.stringMatching(
      /^names\.test\.yaml:10:15 error step_complete ok is no event.*did you mean step_completed\?$/,
    ),
    expect.stringMatching(/^names\.test\.yaml:10:33 error The workflow has no node okk/),
    expect.stringMatching(/^named\.json:\d+:\d+ error /),
  ]);
});

it("a path without tests, and tests without a workflow, are wrong usage", async () => {
  writeFileSync(join(folder, "lonely.test.yaml"), "[]");
  const lonely = await stepgate(folder, ["test", join(folder, "lonely.test.yaml")]);
  expect([lonely.code, lonely.stderr]).toEqual([2, expect.stringContaining("a workflow that is not there")]);
  rmSync(join(folder, "lonely.test.yaml"));
  writeFileSync(join(folder, "untested.yaml"), gate);
  const untested = await stepgate(folder, ["test", join(folder, "untested.yaml")]);
  expect([untested.code, untested.stderr]).toEqual([2, expect.stringContaining("has no tests")]);
});

it("--watch runs again what a change concerns", async () => {
  const file = join(folder, "small.yaml");
  writeFileSync(
    file,
    "name: Small\nslug: small\nnodes: [{id: action_input, type: action_input, data: {properties: []}}, {id: done, type: return_output, data: {properties: [{name: n, type: number, value: 1}]}}]\nedges: [action_input -> done]\n",
  );
  writeFileSync(
    join(folder, "small.test.yaml"),
    "- name: one\n  input: {}\n  expect: {status: succeeded, output: {n: 1}}\n",
  );
  const child = spawn(launcher, ["test", file, "--watch"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, STEPGATE_HOME: folder },
  });
  try {
    const seen = watchText(child.stdout);
    await seen("1 case passed.");
    writeFileSync(file, readFileSync(file, "utf8").replace("value: 1", "value: 2"));
    const said = await seen('+   "n": 2');
    expect(said).toMatch(/one [^]*1 case passed\.[^]*one /);
  } finally {
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGINT");
    await ended;
  }
});

/** Waits until a stream has said something. */
function watchText(stream: NodeJS.ReadableStream): (wanted: string) => Promise<string> {
  let said = "";
  let check = () => {};
  stream.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    check();
  });
  return async (wanted) =>
    new Promise((resolve) => {
      check = () => said.includes(wanted) && resolve(said);
      check();
    });
}
