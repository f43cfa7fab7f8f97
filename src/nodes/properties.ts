import * as z from "zod";
import { jsonObject, jsonValue } from "../contract/json.ts";
import { keyName, propertyTypes } from "../contract/workflow.ts";
import { compileInputSchema } from "../engine/definition/input-schema.ts";
import { deepEqual, toJson } from "../engine/values/json.ts";
import type { ConfigFinding } from "../engine/node.ts";
import { findDuplicates } from "./duplicates.ts";

/** One property that a callable workflow declares, of its input or its output (contract 2). */
export const property = z.strictObject({
  name: keyName.describe("Name of the property"),
  type: z.enum(propertyTypes).describe("Its JSON type"),
  required: z.boolean().default(false).describe("Whether it has to be there; one with a default always is"),
  description: z.string().optional().describe("What callers read about it"),
  default: jsonValue.optional().describe("What it is when it is left out"),
  enum: z.array(jsonValue).min(1).optional().describe("The values that it may have"),
  items: jsonObject.optional().describe("JSON Schema of the items of a list"),
});
type Property = z.infer<typeof property>;

/**
 * Finds names that repeat, defaults that their own property refuses, values listed twice, and `items` that are no JSON
 * Schema, alone or beside those of the others: what passes here compiles when a run's input is checked.
 */
export function checkProperties(properties: readonly Property[]): ConfigFinding[] {
  const names = properties.map(({ name }) => name);
  const consequence = "a name can be declared once; remove or rename one";
  const findings = [
    ...findDuplicates(names, { list: "properties", field: "name", severity: "error", consequence }),
    ...properties.flatMap((entry, index) => [...checkEnum(entry, index), ...checkProperty(entry, index)]),
  ];
  return findings.length > 0 ? findings : checkTogether(properties);
}

function checkEnum({ enum: values = [] }: Property, index: number): ConfigFinding[] {
  return values.flatMap((value, at) => {
    const first = values.findIndex((earlier) => deepEqual(earlier, value));
    if (first === at) return [];
    const message = `properties[${index}].enum[${at}] repeats enum[${first}]: list each value once`;
    return [{ severity: "error", code: "duplicate_enum", message, pointer: `/properties/${index}/enum/${at}` }];
  });
}

/** Two schemas that are sound alone may still clash, by an `$id` or an anchor that both of them take. */
function checkTogether(properties: readonly Property[]): ConfigFinding[] {
  const lists = properties.flatMap(({ name, items }) => (items ? [[name, toJson({ items })]] : []));
  try {
    compileInputSchema({ type: "object", properties: Object.fromEntries(lists) });
    return [];
  } catch (thrown) {
    const message = `properties make no JSON Schema together: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return [{ severity: "error", code: "invalid_items", message, pointer: "/properties" }];
  }
}

/** Lets the validator of inputs fill in the default and judge it, exactly as a run would. */
function checkProperty({ name, type, items, enum: values, default: preset }: Property, index: number): ConfigFinding[] {
  if (preset === undefined && items === undefined) return [];
  const schema = toJson({ type, items, enum: values, default: preset });
  const place = `/properties/${index}`;
  try {
    const read = compileInputSchema({ type: "object", properties: { value: schema } })({});
    if (read.ok) return [];
    const message = `The default of ${name} ${read.problems.map((problem) => problem.message).join(", ")}`;
    return [{ severity: "error", code: "invalid_default", message, pointer: `${place}/default` }];
  } catch (thrown) {
    const message = `items of ${name} is no JSON Schema: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return [{ severity: "error", code: "invalid_items", message, pointer: `${place}/items` }];
  }
}
