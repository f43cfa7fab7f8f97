import {
  type BuildIssue,
  type ManifestAuth,
  manifestAuth,
  manifestOperation,
  manifestTrigger,
} from "../../contract/manifest.ts";
import { isRecord } from "../../engine/values/json.ts";
import { authFields } from "./auth-fields.ts";
import { errorAt, warningAt } from "./build-issue.ts";
import { isFreeHeader } from "./check-request.ts";
import { checkOperation } from "./check-operation.ts";
import { checkSchema } from "./check-schema.ts";
import { checkTemplates } from "./check-templates.ts";
import { checkTrigger } from "./check-trigger.ts";

/**
 * What no schema can say of a manifest: names that occur twice, templates that lead nowhere, schemas that are none. Takes
 * any value and looks at the parts of it that have the right shape, so that their problems come with the others'.
 */
export function checkManifest(value: unknown): BuildIssue[] {
  if (!isRecord(value)) return [];
  const auth = manifestAuth.safeParse(value["auth"] ?? { type: "none" });
  const fields = auth.success ? authFields(auth.data).map(({ name }) => name) : null;
  const connection = fields && [...fields, "baseUrl"];
  const operations = listOf(value["operations"]);
  const issues = auth.success ? checkAuth(auth.data, connection ?? []) : [];
  issues.push(...findTwins(operations, "operations", "key"));
  issues.push(...findTwins(listOf(value["triggers"]), "triggers", "event"));
  for (const [index, raw] of operations.entries()) {
    const read = manifestOperation.safeParse(raw);
    if (!read.success) continue;
    const place = ["operations", index];
    issues.push(...checkSchema(read.data.inputSchema, [...place, "inputSchema"], { isObject: true }));
    issues.push(...checkSchema(read.data.outputSchema, [...place, "outputSchema"]));
    issues.push(...checkOperation(read.data, place, connection));
  }
  for (const [index, raw] of listOf(value["triggers"]).entries()) {
    const read = manifestTrigger.safeParse(raw);
    if (read.success) issues.push(...checkTrigger(read.data, ["triggers", index], connection));
  }
  issues.push(...checkTest(value["test"], operations));
  return issues;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function findTwins(parts: readonly unknown[], list: string, name: string): BuildIssue[] {
  const seen = new Set<unknown>();
  return parts.flatMap((part, index) => {
    const own = isRecord(part) ? part[name] : undefined;
    if (typeof own !== "string") return [];
    if (seen.has(own)) {
      return [errorAt([list, index, name], "duplicate_key", `${own} occurs twice; give each ${name} once`)];
    }
    seen.add(own);
    return [];
  });
}

function checkAuth(auth: ManifestAuth, connection: readonly string[]): BuildIssue[] {
  const issues: BuildIssue[] = [];
  if (auth.type === "oauth2" && auth.grant === "authorization_code" && auth.authorizationUrl === undefined) {
    const message = "authorizationUrl is missing: the grant authorization_code sends the user there";
    issues.push(errorAt(["auth"], "invalid_manifest", message));
  }
  if (auth.type === "api_key" && auth.in === "header" && !isFreeHeader(auth.name)) {
    const message = `${auth.name} is no header that a call may set: use letters, digits and -`;
    issues.push(errorAt(["auth", "name"], "invalid_header", message));
  }
  return auth.type === "custom" ? checkCustom(auth, connection) : issues;
}

function checkCustom(auth: Extract<ManifestAuth, { type: "custom" }>, connection: readonly string[]): BuildIssue[] {
  const issues: BuildIssue[] = [];
  issues.push(...findTwins(auth.fields, "fields", "name").map((issue) => ({ ...issue, path: `/auth${issue.path}` })));
  for (const name of Object.keys(auth.headers ?? {})) {
    if (!isFreeHeader(name)) {
      issues.push(errorAt(["auth", "headers", name], "invalid_header", `${name} is no header that a call may set`));
    }
  }
  const roots = { connection };
  issues.push(...checkTemplates(auth.headers ?? {}, ["auth", "headers"], roots));
  issues.push(...checkTemplates(auth.query ?? {}, ["auth", "query"], roots));
  return issues;
}

/** The operation that tells whether a connection works must change nothing and need nothing. */
function checkTest(test: unknown, operations: readonly unknown[]): BuildIssue[] {
  if (typeof test !== "string") return [];
  const named = operations.find((raw) => isRecord(raw) && raw["key"] === test);
  if (!named) return [errorAt(["test"], "unknown_operation", `There is no operation ${test}`)];
  const read = manifestOperation.safeParse(named);
  if (!read.success) return [];
  const { method, inputSchema } = read.data;
  const needs = Array.isArray(inputSchema["required"]) ? inputSchema["required"] : [];
  if (needs.length > 0) return [errorAt(["test"], "needs_input", `${test} needs input: choose one that does not`)];
  if (method === "GET" || method === "HEAD") return [];
  return [warningAt(["test"], "test_changes", `${test} is a ${method}: a test should change nothing`)];
}
