import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../contract/json.ts";
import { isRecord } from "../values/json.ts";
import { nearestName } from "./nearest-name.ts";

/** A change of an action's input that calls which were good until now would not survive. */
export type BreakingChange = { kind: "removed" | "newly_required" | "type_changed"; field: string; message: string };

type Schema = { [key: string]: Json };

/**
 * Compares two derived input schemas (spec 9, contract 2): a property removed or renamed, one newly required, a changed
 * type. A wider type (`integer` to `number`, more values of an `enum`) is safe, since it takes every value that was good.
 */
export function findBreakingChanges(previous: Schema, next: Schema): BreakingChange[] {
  const before = propertiesOf(previous);
  const after = propertiesOf(next);
  const added = [...after.keys()].filter((name) => !before.has(name));
  const changes: BreakingChange[] = [];
  for (const [field, schema] of before) {
    const now = after.get(field);
    if (!now) changes.push(removal(field, added));
    else changes.push(...typeChanges(field, schema, now));
  }
  const requiredBefore = new Set(requiredOf(previous));
  for (const field of requiredOf(next).filter((name) => !requiredBefore.has(name))) {
    const message = `${field} is newly required; give it a default, or leave it optional`;
    changes.push({ kind: "newly_required", field, message });
  }
  return changes;
}

function removal(field: string, added: readonly string[]): BreakingChange {
  const renamed = nearestName(field, added);
  const message = renamed === null ? `${field} was removed` : `${field} was removed, or renamed to ${renamed}`;
  return { kind: "removed", field, message };
}

function typeChanges(field: string, before: Schema, after: Schema): BreakingChange[] {
  const from = typeName(before);
  const to = typeName(after);
  const changed = (message: string): BreakingChange[] => [{ kind: "type_changed", field, message }];
  if (from !== to && to !== "any" && !(from === "integer" && to === "number")) {
    return changed(`the type of ${field} was changed from ${from} to ${to}`);
  }
  if (!takesAll(before["enum"], after["enum"])) return changed(`${field} no longer takes all of its former values`);
  const items = after["items"];
  if (!isRecord(items)) return [];
  const itemsBefore = before["items"];
  return typeChanges(`${field}[]`, isRecord(itemsBefore) ? itemsBefore : {}, items);
}

function typeName({ type }: Schema): string {
  return typeof type === "string" ? type : "any";
}

/** Whether an enum holds all values of the former one; no enum takes all. */
function takesAll(before: Json | undefined, after: Json | undefined): boolean {
  if (!Array.isArray(after)) return true;
  return Array.isArray(before) && before.every((value) => after.some((other) => isDeepStrictEqual(other, value)));
}

function propertiesOf(schema: Schema): ReadonlyMap<string, Schema> {
  const properties = schema["properties"];
  if (!isRecord(properties)) return new Map();
  return new Map(Object.entries(properties).filter((entry): entry is [string, Schema] => isRecord(entry[1])));
}

function requiredOf(schema: Schema): string[] {
  const required = schema["required"];
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
