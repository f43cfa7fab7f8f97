import { expect, test } from "vitest";
import type { EventPage } from "../../src/contract/journal.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";

/** A callable workflow of these nodes and edges, whose input is one list and one number. */
function workflow(nodes: string[], edges: string[]): string {
  const input = "{properties: [{name: list, type: array, default: []}, {name: n, type: number, default: 0}]}";
  const all = [`{id: action_input, type: action_input, data: ${input}}`, ...nodes];
  return `name: Graph\nslug: graph\nnodes:\n${all.map((node) => `  - ${node}\n`).join("")}edges: [${edges.join(", ")}]\n`;
}

/** What the journal says, an event a line: `step_completed body[0,1]`. */
async function journal(runtime: TestRuntime, { run_id }: RunDetail): Promise<string[]> {
  const { body } = await runtime.get<EventPage>(`/runs/${run_id}/events?limit=1000`);
  return body.events.map(
    ({ type, step_id, iteration }) => `${type} ${step_id}${iteration ? `[${iteration.join(",")}]` : ""}`,
  );
}

async function run(
  text: string,
  input: unknown = {},
): Promise<{ runtime: TestRuntime; run: RunDetail; lines: string[] }> {
  const runtime = await testRuntime();
  await runtime.publish(text);
  const ended = await runtime.runToEnd("graph", input);
  return { runtime, run: ended, lines: await journal(runtime, ended) };
}

const isNoList = "data: {items: nothing, combinator: AND, conditions: [{id: c, field: x, operator: EXISTS}]";
const output = (value: string): string =>
  `{id: out, type: return_output, data: {properties: [{name: value, type: object, value: "{{${value}}}"}]}}`;

test("the branch that is not taken is skipped, and so is everything behind it", async () => {
  const big = "conditions: [{id: c, field: '{{action_input.n}}', operator: NUMBER_IS_GREATER_THAN, value: 10}]";
  const { run: ended, lines } = await run(
    workflow(
      [
        `{id: big, type: condition, data: {combinator: AND, ${big}}}`,
        "{id: a, type: noop}",
        "{id: b, type: noop}",
        "{id: c, type: noop}",
        output("c"),
      ],
      ["action_input -> big", "big.true -> a", "a -> b", "big.false -> c", "c -> out", "b -> out"],
    ),
    { n: 3 },
  );
  expect(lines).toEqual([
    "step_started big",
    "step_completed big",
    "step_skipped a",
    "step_started c",
    "step_completed c",
    "step_skipped b",
    "step_started out",
    "step_completed out",
  ]);
  expect(ended.output).toMatchObject({ value: { branch: false } });
});

test("a merge waits for all its inputs and has null for a skipped one", async () => {
  const yes = "conditions: [{id: c, field: '{{action_input.n}}', operator: EXISTS}]";
  const { run: ended } = await run(
    workflow(
      [
        `{id: ask, type: condition, data: {combinator: AND, ${yes}}}`,
        "{id: a, type: noop}",
        "{id: b, type: noop}",
        "{id: both, type: merge, data: {mode: wait_for_all, inputs: 2}}",
        output("both"),
      ],
      [
        "action_input -> ask",
        "ask.true -> a",
        "ask.false -> b",
        "a -> both.input_0",
        "b -> both.input_1",
        "both -> out",
      ],
    ),
  );
  expect(ended.output).toMatchObject({ value: { input_0: { branch: true }, input_1: null } });
});

test("nested loops run item by item and tell their steps apart by iteration", async () => {
  const { run: ended, lines } = await run(
    workflow(
      [
        "{id: outer, type: loop, data: {items: '{{action_input.list}}', itemVariable: row}}",
        "{id: inner, type: loop, data: {items: '{{row}}', itemVariable: cell}}",
        "{id: body, type: set, data: {assignments: [{id: a, key: at, value: '{{row.0}}/{{cell}}/{{loop.index}} of {{loop.total}}'}]}}",
        output("outer"),
      ],
      ["action_input -> outer", "outer.loop -> inner", "inner.loop -> body", "outer.done -> out"],
    ),
    { list: [[1, 2], [3]] },
  );
  expect(lines.filter((line) => line.includes("body"))).toEqual([
    "step_started body[0,0]",
    "step_completed body[0,0]",
    "step_started body[0,1]",
    "step_completed body[0,1]",
    "step_started body[1,0]",
    "step_completed body[1,0]",
  ]);
  const inner = (index: number, item: unknown, at: string) => ({ index, item, output: { at } });
  expect(ended.output).toEqual({
    value: {
      iterations: [
        {
          index: 0,
          item: [1, 2],
          output: { iterations: [inner(0, 1, "1/1/0 of 2"), inner(1, 2, "1/2/1 of 2")], totalItems: 2 },
        },
        { index: 1, item: [3], output: { iterations: [inner(0, 3, "3/3/0 of 1")], totalItems: 1 } },
      ],
      totalItems: 2,
    },
  });
});

test("an empty list journals no step of the body", async () => {
  const nodes = [
    "{id: each, type: loop, data: {items: '{{action_input.list}}'}}",
    "{id: body, type: noop}",
    output("each"),
  ];
  const { run: ended, lines } = await run(
    workflow(nodes, ["action_input -> each", "each.loop -> body", "each.done -> out"]),
  );
  expect(lines).not.toContain("step_skipped body");
  expect(ended.output).toEqual({ value: { iterations: [], totalItems: 0 } });
});

test("a body that ends in several nodes puts out an object of theirs, null for a skipped one", async () => {
  const odd = "conditions: [{id: c, field: '{{item}}', operator: NUMBER_IS_EQUAL_TO, value: 1}]";
  const { run: ended } = await run(
    workflow(
      [
        "{id: each, type: loop, data: {items: '{{action_input.list}}'}}",
        `{id: one, type: condition, data: {combinator: AND, ${odd}}}`,
        "{id: yes, type: set, data: {assignments: [{id: a, key: is, value: one}]}}",
        "{id: no, type: set, data: {assignments: [{id: a, key: is, value: other}]}}",
        output("each"),
      ],
      ["action_input -> each", "each.loop -> one", "one.true -> yes", "one.false -> no", "each.done -> out"],
    ),
    { list: [1, 2] },
  );
  const iterations = [
    { index: 0, item: 1, output: { yes: { is: "one" }, no: null } },
    { index: 1, item: 2, output: { yes: null, no: { is: "other" } } },
  ];
  expect(ended.output).toEqual({ value: { iterations, totalItems: 2 } });
});

test("a failing step of a body fails its loop and the run, whose error is the step's", async () => {
  const nodes = [
    "{id: each, type: loop, data: {items: '{{action_input.list}}'}}",
    `{id: bad, type: filter, ${isNoList}}}`,
    output("each"),
  ];
  const text = workflow(nodes, ["action_input -> each", "each.loop -> bad", "each.done -> out"]);
  const { run: ended, lines } = await run(text, { list: [1, 2] });
  expect(ended).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR", step_id: "bad" }, output: null });
  expect(lines).toEqual(["step_started each", "step_started bad[0]", "step_failed bad[0]", "step_failed each"]);
});

test("under a loop with continueOnFailure the body's step fails, the loop continues, and the run goes on", async () => {
  const nodes = [
    "{id: each, type: loop, data: {items: '{{action_input.list}}', continueOnFailure: true}}",
    `{id: bad, type: filter, ${isNoList}}}`,
    output("each"),
  ];
  const text = workflow(nodes, ["action_input -> each", "each.loop -> bad", "each.done -> out"]);
  const { run: ended, lines } = await run(text, { list: [1, 2] });
  expect(lines.slice(0, 4)).toEqual([
    "step_started each",
    "step_started bad[0]",
    "step_failed bad[0]",
    "step_failed_continued each",
  ]);
  expect(ended).toMatchObject({ status: "succeeded", output: { value: { error: { code: "VALIDATION_ERROR" } } } });
});

test("a loop whose iterations give more than 4 MiB of JSON fails like every step, or goes on with the error", async () => {
  const loop = (setting: string) => [
    `{id: each, type: loop, data: {items: '{{action_input.list}}'${setting}}}`,
    "{id: body, type: set, data: {assignments: [{id: a, key: text, value: '{{action_input.text}}'}]}}",
    output("each.error"),
  ];
  const edges = ["action_input -> each", "each.loop -> body", "each.done -> out"];
  const input = { list: [1, 2, 3, 4, 5], text: "word ".repeat(180_000) };
  const { run: ended, lines } = await run(workflow(loop(""), edges), input);
  expect(ended).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR", step_id: "each" } });
  expect(ended.error?.message).toContain("4 MiB");
  expect(lines.slice(-2)).toEqual(["step_completed body[4]", "step_failed each"]);
  const { run: continued } = await run(workflow(loop(", continueOnFailure: true"), edges), input);
  expect(continued).toMatchObject({ status: "succeeded", output: { value: { code: "VALIDATION_ERROR" } } });
  const { run: fitting } = await run(workflow(loop(""), edges), { ...input, list: [1, 2, 3, 4] });
  expect(fitting.status).toBe("succeeded");
});

test("a step with continueOnFailure hands its error on", async () => {
  const nodes = [`{id: bad, type: filter, ${isNoList}, continueOnFailure: true}}`, output("bad.error")];
  const { run: ended, lines } = await run(workflow(nodes, ["action_input -> bad", "bad -> out"]));
  expect(lines).toContain("step_failed_continued bad");
  expect(ended.output).toMatchObject({ value: { code: "VALIDATION_ERROR", message: expect.any(String) } });
});

test("a return_output that can't be coerced fails the run, and no continueOnFailure changes that", async () => {
  const number = "properties: [{name: value, type: number, value: no number}]";
  const out = `{id: out, type: return_output, data: {${number}, continueOnFailure: true}}`;
  const { run: ended, lines } = await run(workflow([out], ["action_input -> out"]));
  expect(ended).toMatchObject({ status: "failed", output: null, error: { code: "VALIDATION_ERROR", step_id: "out" } });
  expect(lines).toEqual(["step_started out", "step_failed out"]);
});

test("stop_and_error fails the run with its own code and message, and no continueOnFailure changes that", async () => {
  const stop =
    "{id: stop, type: stop_and_error, data: {errorMessage: 'no {{action_input.n}}', errorCode: TOO_FEW, continueOnFailure: true}}";
  const { run: ended } = await run(
    workflow([stop, "{id: out, type: return_output}"], ["action_input -> stop", "action_input -> out"]),
    { n: 4 },
  );
  expect(ended).toMatchObject({ status: "failed", error: { code: "TOO_FEW", message: "no 4", step_id: "stop" } });
});

test("a run that reaches no return_output succeeds with output null", async () => {
  const never = "conditions: [{id: c, field: '{{action_input.missing}}', operator: EXISTS}]";
  const { run: ended } = await run(
    workflow(
      [`{id: ask, type: condition, data: {combinator: AND, ${never}}}`, "{id: out, type: return_output}"],
      ["action_input -> ask", "ask.true -> out"],
    ),
  );
  expect(ended).toMatchObject({ status: "succeeded", output: null });
});

test("of several return_output nodes that are reached the first to complete gives the output", async () => {
  const returns = (id: string) =>
    `{id: ${id}, type: return_output, data: {properties: [{name: from, type: string, value: ${id}}]}}`;
  const nodes = ["{id: a, type: noop}", "{id: b, type: noop}", returns("late"), returns("early")];
  const edges = ["action_input -> a", "a -> b", "b -> late", "action_input -> early"];
  const { run: ended, lines } = await run(workflow(nodes, edges));
  expect(lines.filter((line) => line.startsWith("step_completed"))).toContain("step_completed late");
  expect(ended.output).toEqual({ from: "early" });
});

test("a long loop lets other runs have their turn", async () => {
  const runtime = await testRuntime();
  const body = "{id: body, type: set, data: {assignments: [{id: a, key: v, value: '{{item}}'}]}}";
  const nodes = ["{id: each, type: loop, data: {items: '{{action_input.list}}'}}", body, output("each")];
  await runtime.publish(workflow(nodes, ["action_input -> each", "each.loop -> body", "each.done -> out"]));
  const list = Array.from({ length: 5000 }, (_, index) => index);
  const long = await runtime.post<{ run_id: string }>("/actions/graph/run", { input: { list } });
  const short = await runtime.runToEnd("graph", { list: [1] });
  const { body: longRun } = await runtime.get<RunDetail>(`/runs/${long.body.run_id}?steps=none`);
  expect(short.status).toBe("succeeded");
  expect(longRun.status).toBe("running");
  const { body: ended } = await runtime.get<RunDetail>(`/runs/${long.body.run_id}?wait=60&steps=none`);
  expect(ended).toMatchObject({ status: "succeeded", steps_total: 5002 });
});

test("a loop of more than 10,000 items fails with a message that names the limit", async () => {
  const nodes = [
    "{id: each, type: loop, data: {items: '{{action_input.list}}'}}",
    "{id: body, type: noop}",
    output("each"),
  ];
  const text = workflow(nodes, ["action_input -> each", "each.loop -> body", "each.done -> out"]);
  const { run: ended } = await run(text, { list: Array.from({ length: 10_001 }, () => 0) });
  expect(ended).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR", step_id: "each" } });
  expect(ended.error?.message).toContain("10000");
});

test("a run stops at its limit of step executions", async () => {
  const runtime = await testRuntime({ limits: { stepsPerRun: 7 } });
  const nodes = [
    "{id: each, type: loop, data: {items: '{{action_input.list}}', continueOnFailure: true}}",
    "{id: body, type: noop}",
    output("each"),
  ];
  await runtime.publish(workflow(nodes, ["action_input -> each", "each.loop -> body", "each.done -> out"]));
  const ended = await runtime.runToEnd("graph", { list: Array.from({ length: 20 }, () => 0) });
  expect(ended).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR" }, steps_total: 7 });
  expect(ended.error?.message).toContain("7 step executions");
});
