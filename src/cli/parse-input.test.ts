import { expect, it } from "vitest";
import type { Json } from "../contract/json.ts";
import { coerceFields, parseInputObject, parsePairs } from "./parse-input.ts";

it("a pair is split at its first equals sign; its value may be empty", () => {
  expect([...parsePairs(["query=a=b", "empty="])]).toEqual([
    ["query", "a=b"],
    ["empty", ""],
  ]);
});

it.each([
  ["name", '"name" must be name=value'],
  ["=x", '"=x" must be name=value'],
])("%j is no pair", (pair, message) => {
  expect(() => parsePairs([pair])).toThrow(message);
});

it("a name that is given twice is refused", () => {
  expect(() => parsePairs(["a=1", "a=2"])).toThrow('"a" is given twice');
});

it.each(["[1]", "null", '"x"', "7"])("%s is no input", (text) => {
  expect(() => parseInputObject(text)).toThrow("must be a JSON object");
});

it.each<[type: string, text: string, value: Json]>([
  ["string", "7", "7"],
  ["number", "7.5", 7.5],
  ["number", "-1e3", -1000],
  ["number", "", ""],
  ["number", "many", "many"],
  ["number", "Infinity", "Infinity"],
  ["integer", "7", 7],
  ["boolean", "true", true],
  ["boolean", "false", false],
  ["boolean", "yes", "yes"],
  ["object", '{"a":1}', { a: 1 }],
  ["array", "[1,2]", [1, 2]],
  ["array", "1,2", "1,2"],
])("a field of type %s reads %j as %j", (type, text, value) => {
  const schema = { type: "object", properties: { field: { type } } };
  expect(coerceFields(new Map([["field", text]]), schema)).toEqual({ field: value });
});

it("a field that the schema doesn't name is text, also when its name is known to every object", () => {
  const input = coerceFields(parsePairs(["toString=1", "__proto__=2", "other=3"]), { type: "object", properties: {} });
  expect(JSON.stringify(input)).toBe('{"toString":"1","__proto__":"2","other":"3"}');
  expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
});

it("a schema without properties leaves every field text", () => {
  expect(coerceFields(new Map([["a", "1"]]), {})).toEqual({ a: "1" });
});
