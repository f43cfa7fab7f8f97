import { describe, expect, it } from "vitest";
import { bindNode, checkNode } from "../../test/support/run-node.ts";
import { actionInput } from "./action-input.ts";

describe("action_input", () => {
  it("is where a run begins: no way in, and no step", () => {
    expect(bindNode(actionInput, {})).toMatchObject({ sources: ["default"], targets: [] });
    expect(actionInput.isStep).toBe(false);
    expect(actionInput.config.parse({})).toEqual({ properties: [] });
  });

  it("keeps what a property says, and requires nothing by default", () => {
    const amount = {
      name: "amount",
      type: "number",
      required: true,
      description: "In euros",
      default: 1,
      enum: [1, 2],
    };
    const tags = { name: "tags", type: "array", items: { type: "string" } };
    expect(checkNode(actionInput, { properties: [amount, tags] })).toEqual([]);
    expect(actionInput.config.parse({ properties: [amount, tags] })).toEqual({
      properties: [amount, { ...tags, required: false }],
    });
  });

  const named = { name: "a", type: "string" };
  const types = '"string", "number", "integer", "boolean", "object", "array"';
  const findings: [property: object, finding: string][] = [
    [{ type: "string" }, "error /properties/0/name: properties[0].name is missing: it must be text"],
    [
      { ...named, name: "a-b" },
      "error /properties/0/name: properties[0].name must be letters, digits and _, starting with a letter or _",
    ],
    [{ name: "a" }, `error /properties/0/type: properties[0].type is missing: it must be one of ${types}`],
    [{ ...named, type: "text" }, `error /properties/0/type: properties[0].type must be one of ${types}`],
    [{ ...named, required: "yes" }, "error /properties/0/required: properties[0].required must be true or false"],
    [{ ...named, enum: [] }, "error /properties/0/enum: properties[0].enum must be a list of at least 1"],
    [{ ...named, items: "string" }, "error /properties/0/items: properties[0].items must be an object"],
    [{ ...named, default: 5 }, "error /properties/0/default: The default of a must be string"],
    [{ ...named, default: null }, "error /properties/0/default: The default of a must be string"],
    [
      { ...named, default: "c", enum: ["a", "b"] },
      'error /properties/0/default: The default of a must be one of "a", "b"',
    ],
    [{ ...named, type: "integer", default: 1.5 }, "error /properties/0/default: The default of a must be integer"],
    [
      { ...named, type: "array", default: [1], items: { type: "string" } },
      "error /properties/0/default: The default of a must be string",
    ],
    [{ ...named, format: "email" }, "warning /properties/0/format: unknown"],
    [{ ...named, value: "{{x}}" }, "warning /properties/0/value: unknown"],
  ];
  it.each(findings)("%j is answered by one finding", (property, finding) => {
    expect(checkNode(actionInput, { properties: [property] })).toEqual([finding]);
  });

  it.each([{ type: "strng" }, { pattern: "[" }, { $ref: "#/nowhere" }])(
    "refuses items that no input could be held to: %j",
    (items) => {
      const [finding, ...more] = checkNode(actionInput, { properties: [{ name: "a", type: "array", items }] });
      expect(finding).toMatch(/^error \/properties\/0\/items: items of a is no JSON Schema: \S/);
      expect(more).toEqual([]);
    },
  );

  it("refuses a value that is listed twice, however it is written", () => {
    const repeated = { name: "a", type: "object", enum: [{ x: 1, y: 2 }, { x: 1 }, { y: 2, x: 1 }] };
    expect(checkNode(actionInput, { properties: [repeated] })).toEqual([
      "error /properties/0/enum/2: properties[0].enum[2] repeats enum[0]: list each value once",
    ]);
  });

  it("refuses items that are sound alone and clash with those of another property", () => {
    const tagged = { name: "a", type: "array", items: { $id: "https://example.com/tag", type: "string" } };
    expect(checkNode(actionInput, { properties: [tagged, { name: "b", type: "string" }] })).toEqual([]);
    const [finding, ...more] = checkNode(actionInput, {
      properties: [tagged, { ...tagged, name: "b", items: { ...tagged.items, type: "number" } }],
    });
    expect(finding).toMatch(/^error \/properties: properties make no JSON Schema together: \S/);
    expect(more).toEqual([]);
  });

  it("refuses a name that is declared twice, and a default that is a template stays a text", () => {
    expect(checkNode(actionInput, { properties: [named, { ...named, type: "number" }] })).toEqual([
      "error /properties/1/name: properties[1].name repeats a of properties[0]: a name can be declared once; remove or rename one",
    ]);
    expect(checkNode(actionInput, { properties: [{ ...named, default: "{{ " }] })).toEqual([]);
  });
});
