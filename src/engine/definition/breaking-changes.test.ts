import { describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { findBreakingChanges } from "./breaking-changes.ts";

function schema(properties: { [key: string]: Json }, required: string[] = []) {
  return { type: "object", properties, required };
}
const text = { type: "string" };

describe("findBreakingChanges", () => {
  it.each<[string, ReturnType<typeof schema>, ReturnType<typeof schema>, string[]]>([
    ["a removed property", schema({ a: text, b: text }), schema({ a: text }), ["removed b"]],
    ["a renamed property", schema({ order_id: text }), schema({ orderId: text }), ["removed order_id"]],
    ["a property newly required", schema({ a: text }), schema({ a: text }, ["a"]), ["newly_required a"]],
    ["a new property that is required", schema({}), schema({ a: text }, ["a"]), ["newly_required a"]],
    ["another type", schema({ a: text }), schema({ a: { type: "integer" } }), ["type_changed a"]],
    ["a narrower type", schema({ a: { type: "number" } }), schema({ a: { type: "integer" } }), ["type_changed a"]],
    ["a first enum", schema({ a: text }), schema({ a: { ...text, enum: ["x"] } }), ["type_changed a"]],
    ["a narrower enum", schema({ a: { enum: [1, 2] } }), schema({ a: { enum: [2] } }), ["type_changed a"]],
    [
      "another type of items",
      schema({ a: { items: text } }),
      schema({ a: { items: { type: "number" } } }),
      ["type_changed a[]"],
    ],
    [
      "a first type of items",
      schema({ a: { type: "array" } }),
      schema({ a: { type: "array", items: text } }),
      ["type_changed a[]"],
    ],
    [
      "all at once",
      schema({ a: text, b: text }),
      schema({ b: { type: "array" } }, ["b"]),
      ["removed a", "type_changed b", "newly_required b"],
    ],
  ])("finds %s", (_, previous, next, changes) => {
    expect(findBreakingChanges(previous, next).map(({ kind, field }) => `${kind} ${field}`)).toEqual(changes);
  });

  it.each<[string, ReturnType<typeof schema>, ReturnType<typeof schema>]>([
    ["a new optional property", schema({ a: text }), schema({ a: text, b: text })],
    ["a property that is no longer required", schema({ a: text }, ["a"]), schema({ a: text })],
    ["a wider type", schema({ a: { type: "integer" } }), schema({ a: { type: "number" } })],
    ["a wider enum", schema({ a: { enum: ["x"] } }), schema({ a: { enum: ["y", "x"] } })],
    ["an enum that is gone", schema({ a: { enum: ["x"] } }), schema({ a: {} })],
    [
      "another description or default",
      schema({ a: text }),
      schema({ a: { ...text, description: "new", default: "x" } }),
    ],
    ["items that are free again", schema({ a: { items: text } }), schema({ a: {} })],
  ])("takes %s for safe", (_, previous, next) => {
    expect(findBreakingChanges(previous, next)).toEqual([]);
  });

  it("suggests what a property was renamed to", () => {
    const [change] = findBreakingChanges(schema({ order_id: text }), schema({ orderId: text }));
    expect(change?.message).toBe("order_id was removed, or renamed to orderId");
  });
});
