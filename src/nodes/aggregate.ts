import { z } from "zod";
import type { Json } from "../contract/json.ts";
import { readPath, toJson, toText, type Path } from "../engine/json.ts";
import { defineNode, done } from "../engine/node.ts";
import { readNumber } from "../engine/read-number.ts";
import { findDuplicates } from "./duplicates.ts";
import { itemPath, readItemPath } from "./item-path.ts";
import { isList, noList } from "./list-field.ts";
import { template } from "./template-field.ts";

const operationFields = {
  id: z.string().min(1),
  key: z.string().min(1).describe("Key in the output"),
  separator: template("Stands between the texts of concat").default(""),
};
const field = itemPath("Path into the item, such as `price`; `{{item.price}}` means the same");

const operation = z.discriminatedUnion("op", [
  z.strictObject({ ...operationFields, op: z.enum(["sum", "avg", "min", "max", "concat"]), field }),
  z.strictObject({ ...operationFields, op: z.enum(["count", "collect", "first", "last"]), field: field.optional() }),
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
  return Object.fromEntries(operations.map((entry) => [entry.key, calculate(entry, items)]));
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

function calculate({ op, field: path, separator }: Operation, items: readonly Json[]): Json {
  const values = readValues(items, toPath(path));
  switch (op) {
    case "count":
      return path === undefined ? values.length : values.filter(isThere).length;
    case "collect":
      return values;
    case "first":
      return values[0] ?? null;
    case "last":
      return values.at(-1) ?? null;
    case "concat":
      return values.filter(isThere).map(toText).join(toText(separator));
    case "sum":
    case "avg":
    case "min":
    case "max":
      return calculateNumber(
        op,
        values.map(readNumber).filter((number) => number !== undefined),
      );
  }
}

function readValues(items: readonly Json[], path: Path): Json[] {
  return items.map((item) => toJson(readPath(item, path)));
}

function isThere(value: Json): boolean {
  return value !== null;
}

function calculateNumber(op: "sum" | "avg" | "min" | "max", numbers: readonly number[]): number | null {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  switch (op) {
    case "sum":
      return toFinite(total);
    case "avg":
      return numbers.length === 0 ? 0 : toFinite(total / numbers.length);
    case "min":
      return toFinite(numbers.reduce((least, number) => Math.min(least, number), Infinity));
    case "max":
      return toFinite(numbers.reduce((most, number) => Math.max(most, number), -Infinity));
  }
}

/** JSON has no Infinity: a sum that outgrew all numbers is null, as is the least of none. */
function toFinite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
