import { type BuildIssue, type Manifest, httpMethods, manifest, maxOperations } from "../../contract/manifest.ts";
import { toPointer } from "../../engine/values/json-pointer.ts";
import { authFields } from "../manifest/auth-fields.ts";
import { errorAt, hasErrors, warningAt } from "../manifest/build-issue.ts";
import { convertAuth } from "./convert-auth.ts";
import { type OperationPlace, type Surroundings, convertOperation } from "./convert-operation.ts";
import { findServer } from "./find-server.ts";
import { readDocument } from "./read-document.ts";
import { type Part, type References, createReferences, cutText, recordOf, textOf } from "./references.ts";

export type ConvertedDocument = { manifest: Manifest | null; issues: BuildIssue[] };

/** Characters that all schemas of answers may have together; further ones are left out. */
const maxOutputSchemas = 48 * 1024 * 1024;

/**
 * Makes a manifest of an OpenAPI 3 description. What can't be called is left out with a warning that names it. Nothing
 * outside the document is ever read. Never throws.
 */
export function convertDocument(text: string, slug: string): ConvertedDocument {
  const read = readDocument(text);
  if ("issues" in read) return { manifest: null, issues: read.issues };
  const { document } = read;
  const version = textOf(document, "openapi");
  if (!/^3\.[01](?:\.|$)/.test(version)) return { manifest: null, issues: [wrongVersion(document, version)] };
  const refs = createReferences(document);
  const { auth, warnings } = convertAuth(document, refs);
  const base = findServer(document);
  const issues = warnings.map((message) => warningAt("/components/securitySchemes", "authentication", message));
  if (base === null) {
    const message = "The description names no server with a full address: every connection needs the setting baseUrl";
    issues.push(warningAt("/servers", "no_server", message));
  }
  const connection = [...authFields(auth).map(({ name }) => name), "baseUrl"];
  const around = { refs, isOld: version.startsWith("3.0"), base, connection };
  const operations = convertOperations(document, refs, around, issues);
  if (operations.length === 0) {
    issues.push(errorAt("/paths", "no_operations", "The description has no operation that can be called"));
  }
  const info = recordOf(document, "info");
  const parsed = manifest.safeParse({
    slug,
    name: cutText(textOf(info, "title"), 200) || slug,
    version: cutText(textOf(info, "version"), 50) || "1",
    description: cutText(textOf(info, "description"), 1000),
    auth,
    baseUrl: base,
    operations,
  });
  if (!parsed.success) {
    issues.push(...parsed.error.issues.map(({ path, message }) => errorAt(path, "invalid_manifest", message)));
  }
  return { manifest: parsed.success && !hasErrors(issues) ? parsed.data : null, issues };
}

function wrongVersion(document: Part, version: string): BuildIssue {
  const given = version || textOf(document, "swagger");
  const told = given === "" ? "It says neither" : `It says ${given.slice(0, 20)}`;
  const message = `Only OpenAPI 3.0 and 3.1 can be read. ${told}; convert the description first`;
  return errorAt("/openapi", "unsupported_version", message);
}

function convertOperations(
  document: Part,
  refs: References,
  around: Surroundings,
  issues: BuildIssue[],
): Manifest["operations"] {
  const keys = new Set<string>();
  const operations: Manifest["operations"] = [];
  let outputs = 0;
  for (const place of findOperations(document, refs)) {
    const pointer = toPointer(["paths", place.path, place.method.toLowerCase()]);
    if (operations.length === maxOperations) {
      issues.push(warningAt(pointer, "too_many_operations", `Only the first ${maxOperations} operations are kept`));
      break;
    }
    const key = uniqueKey(place, keys);
    const converted = convertOperation(place, key, around);
    if ("reason" in converted) {
      issues.push(warningAt(pointer, "operation_left_out", `${key} was left out: ${converted.reason}`));
      continue;
    }
    const { operation, warnings } = converted;
    for (const message of warnings) issues.push(warningAt(pointer, "operation_changed", `${key}: ${message}`));
    outputs += JSON.stringify(operation.outputSchema ?? null).length;
    if (outputs > maxOutputSchemas) delete operation.outputSchema;
    operations.push(operation);
  }
  return operations;
}

function* findOperations(document: Part, refs: References): Generator<OperationPlace> {
  for (const [path, raw] of Object.entries(recordOf(document, "paths"))) {
    const item = refs.follow(raw);
    if (!item || !path.startsWith("/")) continue;
    for (const method of httpMethods) {
      const operation = refs.follow(item[method.toLowerCase()]);
      if (operation) yield { path, method, item, operation };
    }
  }
}

/** The operation's id, else its method and path, in letters that keys may have; a number tells equal ones apart. */
function uniqueKey({ operation, method, path }: OperationPlace, keys: Set<string>): string {
  const named = textOf(operation, "operationId") || `${method.toLowerCase()}${path}`;
  const clean =
    named
      .replace(/[^a-zA-Z0-9_.-]+/g, "_")
      .replace(/^[^a-zA-Z0-9_]+|_+$/g, "")
      .slice(0, 120) || "operation";
  let key = clean;
  for (let number = 2; keys.has(key); number += 1) key = `${clean}_${number}`;
  keys.add(key);
  return key;
}
