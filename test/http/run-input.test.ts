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

it("such a number is refused inside objects and lists, and in fields that the schema does not name", async () => {
  const runtime = await testRuntime();
  await runtime.publish(declaring("{name: order, type: object}, {name: lines, type: array}"));
  const input = '{"order": {"total": [1, {"net": 1e400}]}, "lines": [-1e400], "extra": 1e999, "fine": 1e308}';
  const { status, body } = await runtime.post<{ code: string; details: { field: string }[] }>(
    "/actions/declares/run",
    `{"input": ${input}}`,
  );
  expect([status, body.code]).toEqual([400, "INPUT_VALIDATION_FAILED"]);
  expect(body.details.map(({ field }) => field).toSorted()).toEqual(["extra", "lines.0", "order.total.1.net"]);
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

it("an expression or a reference that would hold the daemon up is ended, and the input refused", async () => {
  const runtime = await testRuntime();
  const circle = '{$id: "urn:circle", allOf: [{$ref: "urn:circle"}]}';
  await runtime.publish(
    declaring(
      `{name: slow, type: array, items: {type: string, pattern: "^(a+)+$"}}, {name: circle, type: array, items: ${circle}}`,
    ),
  );
  const refusal = { status: 400, body: { code: "INPUT_VALIDATION_FAILED", details: [{ field: "", rule: "timeout" }] } };
  const slow = { slow: [`${"a".repeat(60)}!`] };
  expect(await runtime.post("/actions/declares/run", { input: slow })).toMatchObject(refusal);
  expect(await runtime.post("/actions/declares/run", { input: { circle: [1] } })).toMatchObject(refusal);
  expect((await runtime.post("/actions/declares/run", { input: { slow: ["aaa"] } })).status).toBe(202);
  const wrong = await runtime.post("/actions/declares/run", { input: { slow: ["b"] } });
  expect(wrong.body).toMatchObject({ details: [{ field: "slow.0", rule: "pattern" }] });
});
