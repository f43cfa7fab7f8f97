import type { BuildIssue } from "../../contract/manifest.ts";
import type { Json } from "../../contract/json.ts";
import { compileSchema, findSchemaProblem } from "../../engine/definition/schema-check.ts";
import { errorAt } from "./build-issue.ts";

/** Characters from which a schema is only checked for its form. */
const largeSchema = 10_000;

/** Whether a JSON Schema is one. An input's must be of an object. */
export function checkSchema(
  schema: { [key: string]: Json } | undefined,
  place: readonly PropertyKey[],
  { isObject = false } = {},
): BuildIssue[] {
  if (!schema) return [];
  if (isObject && schema["type"] !== "object") {
    return [errorAt([...place, "type"], "invalid_schema", 'The schema\'s type must be "object"')];
  }
  // Compiling finds more, and takes a tenth of a second for the largest.
  const isLarge = JSON.stringify(schema).length > largeSchema;
  const compiled = isLarge ? null : compileSchema(schema);
  const problem = compiled ? ("message" in compiled ? compiled.message : null) : findSchemaProblem(schema);
  return problem === null ? [] : [errorAt(place, "invalid_schema", `Not a JSON Schema: ${problem}`)];
}
