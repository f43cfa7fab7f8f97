import { describe, expect, it } from "vitest";
import * as z from "zod";
import { fieldNames, readKnownFields } from "./known-fields.ts";

const duration = z.strictObject({ mode: z.literal("duration"), amount: z.number() });
const until = z.strictObject({ mode: z.literal("until"), until: z.string() });
const list = z.strictObject({
  rows: z.array(z.strictObject({ id: z.string(), note: z.string().optional() })),
  byName: z.record(z.string(), z.strictObject({ value: z.string() })).optional(),
  combine: z.enum(["AND", "OR"]).default("AND"),
});

describe("readKnownFields", () => {
  it.each<[z.ZodType, unknown, unknown, unknown]>([
    [
      list,
      { rows: [{ id: "a", nte: "x" }], extra: 1 },
      { rows: [{ id: "a" }], combine: "AND" },
      [
        [["rows", 0], ["nte"]],
        [[], ["extra"]],
      ],
    ],
    [
      list,
      { rows: [], byName: { a: { value: "x", y: 1 } } },
      { rows: [], combine: "AND", byName: { a: { value: "x" } } },
      [[["byName", "a"], ["y"]]],
    ],
    [
      z.discriminatedUnion("mode", [duration, until]),
      { mode: "until", until: "x", amount: 1 },
      { mode: "until", until: "x" },
      [[[], ["amount"]]],
    ],
    [
      z.union([duration, until]),
      { mode: "until", until: "x", unit: 1 },
      { mode: "until", until: "x" },
      [[[], ["unit"]]],
    ],
    [list, JSON.parse('{"rows": [], "__proto__": {"x": 1}}'), { rows: [], combine: "AND" }, [[[], ["__proto__"]]]],
  ])("drops what %o does not know of %j", (schema, raw, value, unknown) => {
    const read = readKnownFields(schema, raw);
    expect(read.value).toEqual(value);
    expect(read.problems).toEqual([]);
    expect(read.unknown.map(({ path, keys }) => [path, keys])).toEqual(unknown);
  });

  it("reports problems beside unknown fields, and gives the rest as it was written", () => {
    const read = readKnownFields(list, { rows: [{ id: 1, nte: "x" }], extra: 1 });
    expect(read.problems.map(({ message }) => message)).toEqual(["rows[0].id must be text"]);
    expect(read.value).toEqual({ rows: [{ id: 1 }] });
    expect(read.unknown).toHaveLength(2);
  });
});

describe("fieldNames", () => {
  it.each<[z.ZodType, PropertyKey[], string[]]>([
    [list, [], ["rows", "byName", "combine"]],
    [list, ["rows", 3], ["id", "note"]],
    [list, ["byName", "any"], ["value"]],
    [list, ["combine"], []],
    [list, ["nothing", "here"], []],
    [z.union([duration, until]), [], ["mode", "amount", "until"]],
  ])("names the fields of %o at %j", (schema, path, names) => {
    expect(fieldNames(schema, path)).toEqual(names);
  });
});
