import { describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { deriveInputSchema, deriveOutputSchema, deriveType } from "./derive-schemas.ts";

function definition(...nodes: [type: string, properties?: Json | undefined][]) {
  return {
    nodes: nodes.map(([type, properties], index) => ({
      id: `n${index}`,
      type,
      data: properties === undefined ? {} : { properties },
    })),
  };
}

describe("deriveType", () => {
  it.each([
    [["action_input"], "callable"],
    [["noop", "return_output"], "callable"],
    [["trigger", "set"], "event_driven"],
    [["trigger", "return_output"], "callable"],
  ])("takes %j for %s", (types, kind) => {
    expect(deriveType(definition(...types.map((type): [string] => [type])))).toBe(kind);
  });
});

describe("deriveInputSchema", () => {
  it("keeps what is part of the schema; a property with a default is never required", () => {
    const properties = [
      { name: "order_id", type: "string", required: true, description: "The order" },
      { name: "amount", type: "number", required: true, default: 5 },
      { name: "nothing", type: "string", required: true, default: null },
      { name: "state", type: "string", enum: ["a", "b"], label: "left out" },
      { name: "tags", type: "array", items: { type: "string" }, required: false },
    ];
    expect(deriveInputSchema(definition(["action_input", properties]))).toEqual({
      type: "object",
      properties: {
        order_id: { type: "string", description: "The order" },
        amount: { type: "number", default: 5 },
        nothing: { type: "string", default: null },
        state: { type: "string", enum: ["a", "b"] },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["order_id"],
    });
  });

  it.each<[Json | undefined]>([[undefined], [[]], ["text"], [[null, 1, { name: 1 }]]])(
    "is an empty object schema for properties %j",
    (properties) => {
      expect(deriveInputSchema(definition(["action_input", properties]))).toEqual({
        type: "object",
        properties: {},
        required: [],
      });
    },
  );

  it("takes __proto__ for a name like others", () => {
    const schema = deriveInputSchema(
      definition(["action_input", [{ name: "__proto__", type: "string", required: true }]]),
    );
    expect(JSON.parse(JSON.stringify(schema))).toEqual(
      JSON.parse('{"type": "object", "properties": {"__proto__": {"type": "string"}}, "required": ["__proto__"]}'),
    );
  });
});

describe("deriveOutputSchema", () => {
  it("is null when no return_output declares a property", () => {
    expect(deriveOutputSchema(definition(["action_input", []], ["return_output", []], ["return_output"]))).toBeNull();
  });

  it("is the union over all return_output nodes, without their templates", () => {
    const one = [{ name: "ok", type: "boolean", value: "{{a}}", required: true }];
    const two = [
      { name: "ok", type: "boolean", value: "{{b}}" },
      { name: "reason", type: "string", value: "{{c}}", description: "Why" },
    ];
    expect(deriveOutputSchema(definition(["return_output", one], ["return_output", two]))).toEqual({
      type: "object",
      properties: { ok: { type: "boolean" }, reason: { type: "string", description: "Why" } },
    });
  });
});
