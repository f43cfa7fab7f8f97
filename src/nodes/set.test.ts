import { describe, expect, it } from "vitest";
import type { Json } from "../contract/json.ts";
import { bindNode, checkNode, outputOf, runNode } from "../../test/support/run-node.ts";
import { set } from "./set.ts";

const order = { id: 7, total: "12.5", note: null, tags: ["a"], nested: { a: 1 }, json: '{"b":[2]}', flag: "true" };
const around = { outputs: { order } };
const one = (value: unknown, type?: string) => ({ assignments: [{ id: "a", key: "x", value, ...(type && { type }) }] });

describe("set", () => {
  const values: [value: unknown, type: string | undefined, output: object][] = [
    ["{{order.id}}", undefined, { x: 7 }],
    ["{{order.nested}}", undefined, { x: { a: 1 } }],
    ["no {{order.id}}", undefined, { x: "no 7" }],
    [{ deep: ["{{order.id}}", "{{order.gone}}"], gone: "{{order.gone}}" }, undefined, { x: { deep: [7, null] } }],
    [null, undefined, { x: null }],
    ["{{order.gone}}", undefined, {}],
    ["{{order.nested}}", "string", { x: '{"a":1}' }],
    ["{{order.note}}", "string", { x: "" }],
    ["{{order.gone}}", "string", { x: "" }],
    ["{{order.total}}", "number", { x: 12.5 }],
    ["{{order.flag}}", "boolean", { x: true }],
    [true, "boolean", { x: true }],
    [1, "boolean", { x: false }],
    ["1", "boolean", { x: false }],
    ["yes", "boolean", { x: false }],
    ["True", "boolean", { x: false }],
    ["{{order.gone}}", "boolean", { x: false }],
    ["{{order.json}}", "json", { x: { b: [2] } }],
    ["{{order.tags}}", "json", { x: ["a"] }],
    ["{{order.note}}", "json", { x: null }],
    ["{{order.gone}}", "json", { x: null }],
  ];
  it.each(values)("%j as %s gives %j", async (value, type, output) => {
    expect(await outputOf(set, one(value, type), around)).toEqual(output);
  });

  const failures: [value: unknown, type: string, message: string][] = [
    ["abc", "number", "this text can't be read as a decimal number"],
    ["{{order.note}}", "number", "null can't be read as a decimal number"],
    ["{{order.gone}}", "number", "a missing value can't be read as a decimal number"],
    ["{broken", "json", "this text can't be read as JSON"],
  ];
  it.each(failures)("%j as %s fails and names the key", async (value, type, message) => {
    const error = { code: "VALIDATION_ERROR", message: `Can't set x: ${message}` };
    expect(await runNode(set, one(value, type), around)).toEqual({ kind: "fail", error });
  });

  const inputs: [upstream: unknown, value: unknown, output: object][] = [
    [{ x: 1, y: { z: 2 } }, "new", { x: "new", y: { z: 2 } }],
    [{ x: 1, y: 2 }, "{{a.gone}}", { x: 1, y: 2 }],
    [["no object"], "new", { x: "new" }],
    [null, "new", { x: "new" }],
  ];
  it.each(inputs)("with includeInputFields it lays its keys over a copy of %j", async (upstream, value, output) => {
    const before = structuredClone(upstream);
    const data = { ...one(value), includeInputFields: true };
    expect(await outputOf(set, data, { outputs: { a: upstream as never } })).toEqual(output);
    expect(upstream).toEqual(before);
  });

  it("leaves the input out unless told otherwise", async () => {
    expect(await outputOf(set, one("new"), { upstream: { y: 2 } })).toEqual({ x: "new" });
  });

  it.each([
    [false, '{"__proto__":{"polluted":true}}'],
    [true, '{"a":1,"__proto__":{"polluted":true}}'],
  ])("takes __proto__ for a key like others (includeInputFields %s)", async (includeInputFields, json) => {
    const assignments = [{ id: "a", key: "__proto__", value: { polluted: true } }];
    const upstream = JSON.parse('{"a":1,"__proto__":2}') as Json;
    const output = await outputOf(set, { assignments, includeInputFields }, { upstream });
    expect(JSON.stringify(output)).toBe(json);
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
  });

  it("has one way in and one way out", () => {
    expect(bindNode(set, one(1))).toMatchObject({ sources: ["default"], targets: ["default"], effects: "none" });
    expect(set.config.parse(one(1))).toMatchObject({ includeInputFields: false });
  });

  const [assignment] = one("v").assignments;
  const findings: [assignments: object[], finding: string][] = [
    [[], "error /assignments: assignments must be a list of at least 1"],
    [
      [{ id: "a", key: "x" }],
      "error /assignments/0/value: assignments[0].value is missing: give a value, or a template such as {{order.total}}",
    ],
    [
      [{ ...assignment, key: "a-b" }],
      "error /assignments/0/key: assignments[0].key must be letters, digits and _, starting with a letter or _",
    ],
    [
      [{ ...assignment, type: "int" }],
      'error /assignments/0/type: assignments[0].type must be one of "string", "number", "boolean", "json"',
    ],
    [[{ key: "x", value: 1 }], "error /assignments/0/id: assignments[0].id is missing: it must be text"],
    [
      [assignment ?? {}, { ...assignment, id: "b" }],
      "warning /assignments/1/key: assignments[1].key repeats x of assignments[0]: the last one wins",
    ],
    [
      [{ ...assignment, value: { a: ["{{ "] } }],
      "error /assignments/0/value/a/0: {{ is never closed: write {{path}}, or {{{{ for the text {{",
    ],
  ];
  it.each(findings)("%j is answered by one finding", (assignments, finding) => {
    expect(checkNode(set, { assignments })).toEqual([finding]);
  });
});
