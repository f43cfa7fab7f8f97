import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coerce, coerceProperty, type PropertyType, type SetType } from "./coerce.ts";

describe("coerce, as Set does it", () => {
  const good: [value: unknown, type: SetType, coerced: unknown][] = [
    ["text", "string", "text"],
    [12.5, "string", "12.5"],
    [false, "string", "false"],
    [{ a: [1] }, "string", '{"a":[1]}'],
    [null, "string", ""],
    [undefined, "string", ""],
    [12, "number", 12],
    ["12.50", "number", 12.5],
    [" -1e3 ", "number", -1000],
    [true, "boolean", true],
    ["true", "boolean", true],
    [false, "boolean", false],
    [1, "boolean", false],
    ["1", "boolean", false],
    ["yes", "boolean", false],
    ["True", "boolean", false],
    [" true", "boolean", false],
    [null, "boolean", false],
    [undefined, "boolean", false],
    [{}, "boolean", false],
    ['{"a": [1, null]}', "json", { a: [1, null] }],
    ['"text"', "json", "text"],
    ["null", "json", null],
    [7, "json", 7],
    [["as", "is"], "json", ["as", "is"]],
    [null, "json", null],
    [undefined, "json", null],
  ];

  it.each(good)("%j as %s is %j", (value, type, coerced) => {
    expect(coerce(value, type)).toEqual({ ok: true, value: coerced });
  });

  const bad: [value: unknown, type: SetType, message: string][] = [
    ["ten", "number", "this text can't be read as a decimal number"],
    ["0x10", "number", "this text can't be read as a decimal number"],
    ["1e999", "number", "this text can't be read as a decimal number"],
    ["", "number", "an empty text can't be read as a decimal number"],
    [null, "number", "null can't be read as a decimal number"],
    [undefined, "number", "a missing value can't be read as a decimal number"],
    [true, "number", "a boolean can't be read as a decimal number"],
    [[1], "number", "a list can't be read as a decimal number"],
    [{}, "number", "an object can't be read as a decimal number"],
    ["{a: 1}", "json", "this text can't be read as JSON"],
    ["", "json", "an empty text can't be read as JSON"],
    ['{"a": [1e400]}', "json", "this text can't be read as JSON"],
  ];

  it.each(bad)("%j as %s fails: %s", (value, type, message) => {
    expect(coerce(value, type)).toEqual({ ok: false, message });
  });

  it("any JSON value survives being written as a text and read as json", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = coerce(typeof value === "string" ? JSON.stringify(value) : (value ?? "null"), "string");
        expect(text.ok && coerce(text.value, "json")).toEqual({ ok: true, value: JSON.parse(JSON.stringify(value)) });
      }),
    );
  });

  it("a key named __proto__ in a JSON text stays a key", () => {
    const read = coerce('{"__proto__": {"polluted": 1}}', "json");
    expect(JSON.stringify(read)).toBe('{"ok":true,"value":{"__proto__":{"polluted":1}}}');
    expect("polluted" in {}).toBe(false);
  });
});

describe("coerceProperty, as return_output does it", () => {
  const good: [value: unknown, type: PropertyType, coerced: unknown][] = [
    [5, "string", "5"],
    [null, "string", ""],
    ["5", "number", 5],
    ["5", "integer", 5],
    [5, "integer", 5],
    ["1e3", "integer", 1000],
    ["-0.0", "integer", -0],
    ["true", "boolean", true],
    ["false", "boolean", false],
    ["no", "boolean", false],
    [{ a: 1 }, "object", { a: 1 }],
    ['{"a": 1}', "object", { a: 1 }],
    [[1], "array", [1]],
    [" [1] ", "array", [1]],
  ];

  it.each(good)("%j as %s is %j", (value, type, coerced) => {
    expect(coerceProperty(value, type)).toEqual({ ok: true, value: coerced });
  });

  const bad: [value: unknown, type: PropertyType, message: string][] = [
    ["five", "number", "this text can't be read as a decimal number"],
    [null, "number", "null can't be read as a decimal number"],
    [1.5, "integer", "a number can't be read as a whole number"],
    ["1.5", "integer", "this text can't be read as a whole number"],
    ["", "integer", "an empty text can't be read as a whole number"],
    ["9007199254740993", "integer", "the whole number is too large to be exact; make the property a string"],
    [[], "object", "a list can't be read as an object"],
    ["[]", "object", "this text can't be read as an object"],
    ["{", "object", "this text can't be read as an object"],
    [null, "object", "null can't be read as an object"],
    ["null", "object", "this text can't be read as an object"],
    [{}, "array", "an object can't be read as a list"],
    ["{}", "array", "this text can't be read as a list"],
    [5, "array", "a number can't be read as a list"],
  ];

  it.each(bad)("%j as %s fails: %s", (value, type, message) => {
    expect(coerceProperty(value, type)).toEqual({ ok: false, message });
  });

  it.each(["string", "number", "integer", "boolean", "object", "array"] as const)(
    "a missing %s stays missing",
    (type) => {
      expect(coerceProperty(undefined, type)).toEqual({ ok: true, value: undefined });
    },
  );
});

it("a message never quotes the value, which may be a secret", () => {
  const types: PropertyType[] = ["number", "integer", "object", "array"];
  const messages = types.map((type) => coerceProperty("hunter2-canary", type));
  expect(JSON.stringify(messages)).not.toContain("canary");
});
