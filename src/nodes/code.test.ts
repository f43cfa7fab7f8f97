import { expect, it } from "vitest";
import type { Json } from "../contract/json.ts";
import { checkNode, runNode } from "../../test/support/run-node.ts";
import { code } from "./code.ts";

const script = "export const run = (inputs) => inputs";
const outputs = { order: { id: 7, lines: [1, 2] } };

it("the script gets its mapped fields, without those that are missing, and its result is the output", async () => {
  const calls: [code: string, inputs: Json][] = [];
  const runScript = async (text: string, inputs: Json) => {
    calls.push([text, inputs]);
    return { ok: true as const, output: "done" };
  };
  const fieldMappings = {
    id: "{{order.id}}",
    text: "no {{order.id}}",
    lines: { all: "{{order.lines}}" },
    gone: "{{order.gone}}",
  };
  const outcome = await runNode(code, { code: script, fieldMappings }, { outputs, runScript });
  expect(outcome).toEqual({ kind: "done", output: "done" });
  expect(calls).toEqual([[script, { id: 7, text: "no 7", lines: { all: [1, 2] } }]]);
});

it("a template in the script is left as it is", async () => {
  const text = "export const run = () => '{{order.id}}'";
  const runScript = async (given: string) => ({ ok: true as const, output: given });
  expect(await runNode(code, { code: text }, { outputs, runScript })).toEqual({ kind: "done", output: text });
});

it("a script that fails fails the step with its message and place", async () => {
  const failure = { ok: false as const, message: "no (line 1, column 2)", details: { line: 1, column: 2 } };
  expect(await runNode(code, { code: script }, { outputs, runScript: async () => failure })).toEqual({
    kind: "fail",
    error: { code: "CODE_EXECUTION_FAILED", message: failure.message, details: failure.details },
  });
});

it.each([
  [{}, "error /code: code is missing"],
  [{ code: "" }, "error /code: "],
  [{ code: script, fieldMappings: [] }, "error /fieldMappings: "],
  [{ code: script, language: "ts" }, "warning /language: unknown"],
])("publishing says of %j: %s", (data, finding) => {
  expect(checkNode(code, data)).toEqual([expect.stringContaining(finding)]);
});
