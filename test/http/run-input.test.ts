import { expect, it } from "vitest";
import type { Run } from "../../src/contract/run.ts";
import { testRuntime } from "../support/runtime.ts";

const declaring = (properties: string) => `
name: Declares
slug: declares
nodes:
  - {id: action_input, type: action_input, data: {properties: [${properties}]}}
  - {id: done, type: return_output}
edges:
  - action_input -> done
`;

it("a number that outgrows every number is refused, and no null takes its place", async () => {
  const runtime = await testRuntime();
  await runtime.publish(declaring("{name: amount, type: number, required: true}, {name: count, type: integer}"));
  const { status, body } = await runtime.post("/actions/declares/run", '{"input": {"amount": 1e400, "count": -1e400}}');
  expect({ status, body }).toMatchObject({
    status: 400,
    body: {
      code: "INPUT_VALIDATION_FAILED",
      details: [
        { field: "amount", message: "must be number", rule: "type" },
        { field: "count", message: "must be integer", rule: "type" },
      ],
    },
  });
  expect((await runtime.post("/actions/declares/run", '{"input": {"amount": 1e308}}')).status).toBe(202);
});

it("properties that are named like members of every object get their defaults, and count as missing without them", async () => {
  const runtime = await testRuntime();
  await runtime.publish(
    declaring("{name: toString, type: string, default: d}, {name: constructor, type: string, required: true}"),
  );
  const given = await runtime.post<Run>("/actions/declares/run", '{"input": {"constructor": "c"}}');
  expect({ status: given.status, input: given.body.input }).toEqual({
    status: 202,
    input: { constructor: "c", toString: "d" },
  });
  const missing = await runtime.post("/actions/declares/run", { input: {} });
  expect(missing.body["details"]).toEqual([{ field: "constructor", message: "is required", rule: "required" }]);
});
