import * as z from "zod";
import type { Json } from "../contract/json.ts";
import { readPath, toJson, toText, type Path } from "../engine/values/json.ts";
import { defineNode, done } from "../engine/node.ts";
import { readNumber } from "../engine/values/read-number.ts";
import { findDuplicates } from "./duplicates.ts";
import { itemPath, readItemPath } from "./item-path.ts";
import { isList, noList } from "./list-field.ts";
import { template } from "./template-field.ts";

const names = {
  id: z.string().min(1).describe("Names the operation"),
  key: z.string().min(1).describe("Key in the output"),
};
const joint = { separator: template("Stands between the texts of concat").default("") };
const field = itemPath("Path into the item, such as `price` or `{{item.price}}`; count counts the items that have it");

const what = "What is worked out; sum, avg, min and max take numbers and numeric texts and leave out the rest";
const ofValues = z.enum(["sum", "avg", "min", "max", "concat"]).describe(what);
const ofItems = z.enum(["count", "collect", "first", "last"]).describe(what);
const operation = z.discriminatedUnion("op", [
  z.strictObject({ ...names, op: ofValues, field, ...joint }),
  z.strictObject({ ...names, op: ofItems, field: field.optional(), ...joint }),
]);
type Operation = z.infer<typeof operation>;

/**
 * Sums up a list (spec 2.10). Numeric texts count as numbers; whatever else is no number is left out of sum, avg, min and
 * max. Values that are missing or null are left out of concat and of a count with a field; collect keeps them as null.
 */
export const aggregate = defineNode({
  type: "aggregate",
  title: "Aggregate",
  group: "Data",
  summary:
    "Sums up a list in one or more operations. Output: `{<key>: value}`; with `groupBy`, `{groups: {<group>: {<key>: value}}}`, the group `_null` for items without one.",
  config: z.strictObject({
    items: template("The list"),
    operations: z.array(operation).min(1).describe("Each fills one key"),
    groupBy: itemPath("Path into the item whose values make the groups").optional(),
  }),
  templates: ["/items/**", "/operations/*/separator/**"],
  check({ operations }) {
    const keys = operations.map(({ key }) => key);
    const consequence = "the last one wins";
    return findDuplicates(keys, { list: "operations", field: "key", severity: "warning", consequence });
  },
  run({ config: { items, operations, groupBy } }) {
    if (!isList(items)) return noList(items);
    if (groupBy === undefined) return done(sumUp(items, operations));
    const groups = Array.from(groupItems(items, toPath(groupBy)), ([key, group]) => [key, sumUp(group, operations)]);
    return done({ groups: Object.fromEntries(groups) });
  },
});

function sumUp(items: readonly Json[], operations: readonly Operation[]): Json {
  return Object.fromEntries(
    operations.map((entry) => {
      const path = toPath(entry.field);
      const values = items.map((item) => toJson(readPath(item, path)));
      return [entry.key, calculators[entry.op](values, entry)];
    }),
  );
}

/** The schema refused every path that can't be read; no path is the item itself. */
function toPath(text: string | undefined): Path {
  const path = text === undefined ? [] : readItemPath(text);
  return "message" in path ? [] : path;
}

function groupItems(items: readonly Json[], path: Path): Map<string, Json[]> {
  const groups = new Map<string, Json[]>();
  for (const item of items) {
    const value = readPath(item, path) ?? null;
    const key = value === null ? "_null" : toText(value);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

const calculators: Record<Operation["op"], (values: readonly Json[], entry: Operation) => Json> = {
  count: (values, entry) => (entry.field === undefined ? values : values.filter(isThere)).length,
  collect: (values) => [...values],
  first: (values) => values[0] ?? null,
  last: (values) => values.at(-1) ?? null,
  concat: (values, { separator }) => values.filter(isThere).map(toText).join(toText(separator)),
  sum: (values) => toFinite(sum(toNumbers(values))),
  avg: (values) => average(toNumbers(values)),
  min: (values) => toFinite(toNumbers(values).reduce((least, number) => Math.min(least, number), Infinity)),
  max: (values) => toFinite(toNumbers(values).reduce((most, number) => Math.max(most, number), -Infinity)),
};

function isThere(value: Json): boolean {
  return value !== null;
}

function toNumbers(values: readonly Json[]): number[] {
  return values.map(readNumber).filter((number) => number !== undefined);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function average(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? 0 : toFinite(sum(numbers) / numbers.length);
}

/** JSON has no Infinity: a sum that outgrew all numbers is null, as is the least of none. */
function toFinite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
