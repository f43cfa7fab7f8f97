import { z } from "zod";
import { jsonObject, jsonValue } from "../contract/json.ts";
import { keyName, propertyTypes } from "../contract/workflow.ts";
import { compileInputSchema } from "../engine/definition/input-schema.ts";
import { toJson } from "../engine/values/json.ts";
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

/** Finds names that repeat, defaults that their own property refuses, and `items` that are no JSON Schema. */
export function checkProperties(properties: readonly Property[]): ConfigFinding[] {
  const names = properties.map(({ name }) => name);
  const consequence = "a name can be declared once; remove or rename one";
  return [
    ...findDuplicates(names, { list: "properties", field: "name", severity: "error", consequence }),
    ...properties.flatMap(checkProperty),
  ];
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
