import { expect, it } from "vitest";
import * as z from "zod";
import { jsonObject, jsonValue } from "../../contract/json.ts";
import { argumentSchema, outputSchema } from "./tool-schema.ts";

function argumentsOf(shape: z.ZodRawShape) {
  return argumentSchema(z.toJSONSchema(z.strictObject(shape), { io: "input", unrepresentable: "any" }));
}

it("an argument with a default may be left out, also one whose schema catches", () => {
  const { required } = argumentsOf({ a: z.string(), b: z.int().default(1), c: jsonObject.catch({}) });
  expect(required).toEqual(["a"]);
  expect(argumentsOf({ b: z.int().default(1) })).not.toHaveProperty("required");
});

it("bounds stay, those that zod gives to every whole number do not", () => {
  const { properties } = argumentsOf({ limit: z.int().min(1).max(100), offset: z.int().min(0), any: z.int() });
  expect(properties).toEqual({
    limit: { type: "integer", minimum: 1, maximum: 100 },
    offset: { type: "integer", minimum: 0 },
    any: { type: "integer" },
  });
});

it("a field named as a keyword is a field", () => {
  const { properties } = argumentsOf({ type: z.string(), required: z.boolean(), pattern: z.uuid() });
  expect(properties).toEqual({
    type: { type: "string" },
    required: { type: "boolean" },
    pattern: { type: "string", format: "uuid" },
  });
});

it("null is a branch of a union, with what is said of the field above it", () => {
  const { properties } = argumentsOf({ name: z.string().max(9).nullable().describe("A name") });
  expect(properties).toEqual({
    name: { description: "A name", anyOf: [{ type: "string", maxLength: 9 }, { type: "null" }] },
  });
});

it("a union that has room for anything says nothing", () => {
  expect(argumentsOf({ a: jsonValue.nullable() })).toMatchObject({ properties: { a: {} } });
});

it("a result may have further members, and is spelled out two objects deep", () => {
  const deep = z.object({
    a: z.object({ b: z.object({ c: z.string() }) }),
    list: z.array(z.object({ d: z.object({}) })),
  });
  expect(outputSchema(deep)).toEqual({
    type: "object",
    properties: {
      a: { type: "object", properties: { b: { type: "object" } }, required: ["b"] },
      list: { type: "array", items: { type: "object", properties: { d: { type: "object" } }, required: ["d"] } },
    },
    required: ["a", "list"],
  });
});

it("a record of anything is open", () => {
  expect(outputSchema(z.object({ a: z.record(z.string(), z.unknown()) }))).toMatchObject({
    properties: { a: { type: "object", additionalProperties: true } },
  });
});

it("below the first object of a result, members that can be anything are left out", () => {
  const step = z.object({ id: z.string(), output: jsonValue.nullable() });
  expect(outputSchema(z.object({ output: jsonValue, steps: z.array(step) }))).toMatchObject({
    properties: { output: {}, steps: { items: { properties: { id: {} }, required: ["id"] } } },
    required: ["output", "steps"],
  });
  expect(JSON.stringify(outputSchema(z.object({ steps: z.array(step) })))).not.toContain("output");
});
