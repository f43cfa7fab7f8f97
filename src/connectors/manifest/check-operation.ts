import type { BuildIssue, ManifestOperation } from "../../contract/manifest.ts";
import { parsePath } from "../../engine/templates/path.ts";
import { scanTemplate } from "../../engine/templates/template-scan.ts";
import { isRecord } from "../../engine/values/json.ts";
import { errorAt, warningAt } from "./build-issue.ts";
import { checkRequest } from "./check-request.ts";

type Place = readonly PropertyKey[];

/**
 * Checks one operation but for its schemas; `connection` are the fields that its connections have, null where they are
 * not known.
 */
export function checkOperation(
  operation: ManifestOperation,
  place: Place,
  connection: readonly string[] | null,
): BuildIssue[] {
  const { method, path, request, response, inputSchema } = operation;
  const roots = { input: namesOf(inputSchema), connection };
  const issues = [
    ...checkRequest({ ...request, method, path }, [...place, "request"], [...place, "path"], roots),
    ...checkPlainPath(response.path, [...place, "response", "path"]),
  ];
  for (const name of optionalInPath(path, inputSchema)) {
    const message = `The path needs input.${name}: name it in required, so that a call without it is refused early`;
    issues.push(warningAt([...place, "path"], "optional_in_path", message));
  }
  return issues;
}

/** Checks a plain path such as `data.items`; absent and empty ones are the whole. */
export function checkPlainPath(path: string | undefined, place: Place): BuildIssue[] {
  if (path === undefined || path === "") return [];
  const parsed = parsePath(path);
  return "message" in parsed ? [errorAt(place, "invalid_path", parsed.message)] : [];
}

/** Names of the input; null where the schema lets in any. */
export function namesOf(schema: { [key: string]: unknown }): readonly string[] | null {
  const open = ["allOf", "anyOf", "oneOf", "$ref", "patternProperties"].some((word) => Object.hasOwn(schema, word));
  const more = schema["additionalProperties"];
  if (open || more === true || isRecord(more)) return null;
  return isRecord(schema["properties"]) ? Object.keys(schema["properties"]) : [];
}

function optionalInPath(path: string, schema: { [key: string]: unknown }): string[] {
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return scanTemplate(path).parts.flatMap((part) => {
    if (typeof part === "string" || part.root !== "input") return [];
    const name = String(part.path[0]);
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const isGiven = required.includes(name) || (isRecord(property) && property["default"] !== undefined);
    return isGiven || property === undefined ? [] : [name];
  });
}
