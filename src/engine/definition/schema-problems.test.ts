import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readSchema } from "./schema-problems.ts";

const first = z.strictObject({ mode: z.literal("first"), amount: z.number() });
const second = z.strictObject({ mode: z.literal("second"), until: z.string() });

function messages(schema: z.ZodType, value: unknown) {
  const read = readSchema(schema, value);
  return read.ok ? [] : read.problems.map(({ message }) => message);
}

describe("readSchema", () => {
  it("gives the parsed value with its defaults", () => {
    expect(readSchema(z.object({ a: z.int().default(1) }), {})).toEqual({ ok: true, value: { a: 1 } });
  });

  it.each<[z.ZodType, unknown, string]>([
    [z.object({ a: z.string() }), {}, "a is missing: it must be text"],
    [z.object({ a: z.string() }), { a: 1 }, "a must be text"],
    [z.object({ a: z.array(z.object({ b: z.int() })) }), { a: [{ b: 1.5 }] }, "a[0].b must be a whole number"],
    [z.object({ a: z.enum(["AND", "OR"]) }), { a: "ADN" }, 'a must be one of "AND", "OR"; did you mean AND?'],
    [z.object({ a: z.enum(["AND", "OR"]) }), {}, 'a is missing: it must be one of "AND", "OR"'],
    [z.object({ a: z.array(z.string()).min(1) }), { a: [] }, "a must be a list of at least 1"],
    [z.object({ a: z.string().min(1) }), { a: "" }, "a must be text that is not empty"],
    [z.object({ a: z.string().max(3) }), { a: "abcd" }, "a must be at most 3 characters long"],
    [z.object({ a: z.number().positive() }), { a: 0 }, "a must be more than 0"],
    [z.object({ a: z.int().max(8) }), { a: 9 }, "a must be at most 8"],
    [z.object({ a: z.url() }), { a: "x" }, "a must be a valid url"],
    [z.object({ a: z.string().regex(/^x/, "must begin with x") }), { a: "y" }, "a must begin with x"],
    [
      z.object({ a: z.record(z.string().regex(/^x/, "must begin with x"), z.string()) }),
      { a: { y: "" } },
      "a.y must begin with x",
    ],
    [z.object({ a: z.union([z.string(), z.number()]) }), { a: true }, "a must be text or a number"],
    [z.discriminatedUnion("mode", [first, second]), { mode: "third" }, 'mode must be one of "first", "second"'],
    [
      z.discriminatedUnion("mode", [first, second]),
      { mode: "frist" },
      'mode must be one of "first", "second"; did you mean first?',
    ],
    [z.discriminatedUnion("mode", [first, second]), {}, 'mode is missing: it must be one of "first", "second"'],
    [z.union([first, second]), { mode: "first", amount: "1" }, "amount must be a number"],
    [z.object({ a: z.union([first, second]) }), { a: { mode: "second" } }, "a.until is missing: it must be text"],
    [z.string(), 3, "must be text"],
  ])("words what %o has against %j", (schema, value, message) => {
    expect(messages(schema, value)).toEqual([message]);
  });

  it("tells unknown fields from problems", () => {
    expect(readSchema(z.array(first), [{ mode: "first", amount: 1, unit: "h" }])).toEqual({
      ok: false,
      problems: [],
      unknown: [{ path: [0], keys: ["unit"] }],
    });
  });
});
