// Records the journals in test/golden that do not exist yet. One that exists is never written again: it stands for the
// data of those who ran the version that wrote it. A new form of the journal gets a file of its own.
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json } from "../src/contract/json.ts";
import { createRun } from "../src/engine/create-run.ts";
import type { SealedPayload } from "../src/store/store.ts";
import { type Golden, openGolden, trueOutput } from "../test/support/golden.ts";

const input = {
  who: "ada@example.com",
  n: 3,
  list: [
    { name: "a", mail: "a@example.com" },
    { name: "b", phone: "+7 (912) 345-67-89" },
  ],
};

const head = (name: string) =>
  `name: ${name}\nslug: golden\nnodes:\n  - {id: action_input, type: action_input, data: {properties: []}}\n`;

const workflows: Record<string, string> = {
  "0001-branches": `${head("Branches")}  - {id: keep, type: set, data: {assignments: [{id: a, key: who, value: "{{action_input.who}}"}]}}
  - {id: big, type: condition, data: {combinator: AND, conditions: [{id: c, field: "{{action_input.n}}", operator: NUMBER_IS_GREATER_THAN, value: 2}]}}
  - {id: yes, type: set, data: {assignments: [{id: a, key: text, value: "big {{keep.who}}"}]}}
  - {id: no, type: noop, data: {}}
  - {id: broken, type: filter, data: {items: "no list of {{keep.who}}", combinator: AND, conditions: [{id: c, field: "{{item}}", operator: EXISTS}], continueOnFailure: true}}
  - {id: both, type: merge, data: {mode: wait_for_all, inputs: 3}}
  - {id: done, type: return_output, data: {properties: [{name: all, type: object, value: "{{both}}"}]}}
edges: [action_input -> keep, keep -> big, big.true -> yes, big.false -> no, keep -> broken, yes -> both.input_0, no -> both.input_1, broken -> both.input_2, both -> done]
`,
  "0002-loops": `${head("Loops")}  - {id: outer, type: loop, data: {items: "{{action_input.list}}", itemVariable: o}}
  - {id: inner, type: loop, data: {items: "{{action_input.list}}", itemVariable: i}}
  - {id: pair, type: set, data: {assignments: [{id: a, key: text, value: "{{o.mail}} with {{i.phone}} at {{loop.index}}"}]}}
  - {id: count, type: aggregate, data: {items: "{{outer.iterations}}", operations: [{id: a, key: all, op: count}]}}
  - {id: done, type: return_output, data: {properties: [{name: all, type: object, value: "{{outer}}"}, {name: n, type: number, value: "{{count.all}}"}]}}
edges: [action_input -> outer, outer.loop -> inner, inner.loop -> pair, outer.done -> count, count -> done]
`,
};

for (const [name, workflow] of Object.entries(workflows)) {
  const file = fileURLToPath(new URL(`../test/golden/${name}.json`, import.meta.url));
  if (existsSync(file)) continue;
  writeFileSync(file, `${JSON.stringify(await record(name, workflow, input), null, 2)}\n`);
  console.log(`recorded ${name}`);
}

async function record(name: string, workflow: string, given: Json): Promise<Golden> {
  const { store, services, newRun } = await openGolden(workflow);
  const runId = services.world.newId();
  const run = await createRun(services, newRun(runId, given));
  services.wake(run);
  const output = await trueOutput(store, runId);
  const journal = await store.readJournal(runId, 0, 100_000);
  const ownSealed = await Promise.all([store.findSealed(runId, "input"), store.findSealed(runId, "result")]);
  const sealed = [...ownSealed.filter((each) => each !== null), ...(await store.listSealed(runId, 0, journal.length))];
  await store.close();
  return {
    name,
    workflow,
    runId,
    input: run.input,
    events: journal.map(({ seq: _seq, ...event }) => event),
    sealed: sealed.map(toText),
    output,
  };
}

function toText({ place, content }: SealedPayload): Golden["sealed"][number] {
  return { place, content: Buffer.from(content).toString("base64") };
}
