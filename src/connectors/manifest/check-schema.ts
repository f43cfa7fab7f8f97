import type { BuildIssue } from "../../contract/manifest.ts";
import type { Json } from "../../contract/json.ts";
import { compileSchema } from "../../engine/definition/schema-check.ts";
import { errorAt } from "./build-issue.ts";

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
  const problem = compileSchema(schema);
  return "message" in problem ? [errorAt(place, "invalid_schema", `Not a JSON Schema: ${problem.message}`)] : [];
}
