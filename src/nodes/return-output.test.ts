import { describe, expect, it } from "vitest";
import { bindNode, checkNode, outputOf, runNode } from "../../test/support/run-node.ts";
import { returnOutput } from "./return-output.ts";

const order = { id: 7, total: "12.5", text: "[1]", note: null, isPaid: "true" };
const around = { outputs: { order } };
const one = (type: string, value: unknown, more: object = {}) => ({
  properties: [{ name: "x", type, value, ...more }],
});

describe("return_output", () => {
  const values: [type: string, value: unknown, more: object, output: object][] = [
    ["string", "{{order.id}}", {}, { x: "7" }],
    ["string", "{{order.note}}", {}, { x: "" }],
    ["number", "{{order.total}}", {}, { x: 12.5 }],
    ["integer", "{{order.id}}", {}, { x: 7 }],
    ["boolean", "{{order.isPaid}}", {}, { x: true }],
    ["boolean", "{{order.id}}", {}, { x: false }],
    ["array", "{{order.text}}", {}, { x: [1] }],
    ["object", { id: "{{order.id}}", gone: "{{order.gone}}" }, {}, { x: { id: 7 } }],
    ["string", "{{order.gone}}", {}, {}],
    ["number", "{{order.gone}}", { default: 3 }, { x: 3 }],
    ["number", "{{order.gone}}", { default: 3, required: true }, { x: 3 }],
    ["number", "{{order.id}}", { default: 3 }, { x: 7 }],
    ["string", "{{order.gone}}", { default: "{{order.id}}" }, { x: "{{order.id}}" }],
    ["string", "b", { enum: ["a", "b"] }, { x: "b" }],
    ["number", "{{order.total}}", { enum: [12.5] }, { x: 12.5 }],
    ["object", { b: 1, a: 2 }, { enum: [{ a: 2, b: 1 }] }, { x: { a: 2, b: 1 } }],
    ["string", "{{order.gone}}", { enum: ["a"] }, {}],
  ];
  it.each(values)("%s from %j with %j gives %j", async (type, value, more, output) => {
    expect(await outputOf(returnOutput, one(type, value, more), around)).toEqual(output);
  });

  const failures: [type: string, value: unknown, more: object, message: string][] = [
    ["number", "abc", {}, "this text can't be read as a decimal number"],
    ["number", "{{order.note}}", {}, "null can't be read as a decimal number"],
    ["integer", "{{order.total}}", {}, "this text can't be read as a whole number"],
    ["array", "{{order}}", {}, "an object can't be read as a list"],
    ["string", "{{order.gone}}", { required: true }, "it is required, but its template yielded nothing"],
    ["string", "secret", { enum: ["a", "b"] }, 'it has to be one of "a", "b"'],
    ["string", "A", { enum: ["a"] }, 'it has to be one of "a"'],
  ];
  it.each(failures)("%s from %j with %j fails and names the property", async (type, value, more, message) => {
    const error = { code: "VALIDATION_ERROR", message: `Can't return x: ${message}` };
    expect(await runNode(returnOutput, one(type, value, more), around)).toEqual({ kind: "fail", error });
  });

  it.each([[{ a: 1 }], [null], [[1]]])("without properties it returns what came in: %j", async (upstream) => {
    expect(await outputOf(returnOutput, {}, { upstream })).toEqual(upstream);
  });

  it("keeps the order of its properties and takes __proto__ for a name like others", async () => {
    const properties = [
      { name: "b", type: "number", value: 1 },
      { name: "__proto__", type: "string", value: "p" },
      { name: "a", type: "number", value: 2 },
    ];
    expect(JSON.stringify(await outputOf(returnOutput, { properties }))).toBe('{"b":1,"__proto__":"p","a":2}');
  });

  it("is a step that leads nowhere", () => {
    expect(bindNode(returnOutput, {})).toMatchObject({ sources: [], targets: ["default"] });
    expect(returnOutput.isStep).toBe(true);
  });

  const findings: [properties: object[], finding: string][] = [
    [
      [{ name: "x", type: "string" }],
      "error /properties/0/value: properties[0].value is missing: give a value, or a template such as {{order.total}}",
    ],
    [
      one("string", "{{").properties,
      "error /properties/0/value: {{ is never closed: write {{path}}, or {{{{ for the text {{",
    ],
    [one("number", 1, { default: "a" }).properties, "error /properties/0/default: The default of x must be number"],
    [
      [...one("string", 1).properties, ...one("string", 2).properties],
      "error /properties/1/name: properties[1].name repeats x of properties[0]: a name can be declared once; remove or rename one",
    ],
  ];
  it.each(findings)("%j is answered by one finding", (properties, finding) => {
    expect(checkNode(returnOutput, { properties })).toEqual([finding]);
  });
});
