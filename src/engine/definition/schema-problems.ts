import type * as z from "zod";
import { isRecord } from "../values/json.ts";
import { didYouMean } from "./nearest-name.ts";

/** One thing that a schema has against a value; the message begins with the field that it is about. */
export type SchemaProblem = { path: readonly PropertyKey[]; message: string };

/** Fields of the object at `path` that a strict schema does not know. */
export type UnknownKeys = { path: readonly PropertyKey[]; keys: readonly string[] };

export type SchemaReading<T> =
  | { ok: true; value: T }
  | { ok: false; problems: readonly SchemaProblem[]; unknown: readonly UnknownKeys[] };

/**
 * Parses a value and words what is wrong with it in plain terms; a schema's own messages win. Unknown fields are told
 * apart. Of a union, the branch that comes nearest to the value speaks.
 */
export function readSchema<T>(schema: z.ZodType<T>, value: unknown): SchemaReading<T> {
  const parsed = schema.safeParse(value, { error: wordIssue });
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems: SchemaProblem[] = [];
  const unknown: UnknownKeys[] = [];
  for (const issue of flatten(parsed.error.issues, [])) {
    if (issue.keys) unknown.push({ path: issue.path, keys: issue.keys });
    else problems.push({ path: issue.path, message: `${fieldName(issue.path)}${issue.message}` });
  }
  return { ok: false, problems, unknown };
}

type PlacedIssue = { path: readonly PropertyKey[]; message: string; keys?: readonly string[] };

function flatten(issues: readonly z.core.$ZodIssue[], parent: readonly PropertyKey[]): PlacedIssue[] {
  return issues.flatMap((issue) => {
    const path = [...parent, ...issue.path];
    const { message } = issue;
    if (issue.code === "unrecognized_keys") return [{ path, message, keys: issue.keys }];
    if (issue.code === "invalid_key") return flatten(issue.issues, path);
    if (issue.code !== "invalid_union") return [{ path, message }];
    return nearestBranch(issue, path) ?? [{ path, message }];
  });
}

/** The branch with the fewest problems among those that do not refuse the value as a whole. */
function nearestBranch(issue: z.core.$ZodIssueInvalidUnion, path: readonly PropertyKey[]): PlacedIssue[] | undefined {
  return issue.errors
    .map((branch) => flatten(branch, path))
    .filter((branch) => branch.every((placed) => placed.keys || placed.path.length > path.length))
    .toSorted((a, b) => countProblems(a) - countProblems(b))[0];
}

function countProblems(branch: readonly PlacedIssue[]): number {
  return branch.filter((placed) => !placed.keys).length;
}

/** `conditions[0].field ` before what is said of it; nothing before what is said of the whole. */
function fieldName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "";
  const parts = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
  return `${parts.join("").replace(/^\./, "")} `;
}

/** zod's hook for messages; undefined leaves the message to zod. */
function wordIssue(issue: z.core.$ZodRawIssue): string | undefined {
  const expected = expectation(issue);
  if (expected === null) return undefined;
  const input = judgedValue(issue);
  if (input === undefined) return `is missing: it must be ${expected}`;
  const known = choices(issue)?.filter((choice) => typeof choice === "string") ?? [];
  return `must be ${expected}${typeof input === "string" ? didYouMean(input, known) : confusion(issue)}`;
}

/** Lists and objects are taken for each other; for anything else the value is in sight. */
function confusion({ code, expected, input }: z.core.$ZodRawIssue): string {
  if (code !== "invalid_type") return "";
  if (expected === "array" && isRecord(input)) return ", not an object";
  return (expected === "object" || expected === "record") && Array.isArray(input) ? ", not a list" : "";
}

/** What the message is about: of a union told apart by a field, that field. */
function judgedValue({ code, input, discriminator }: z.core.$ZodRawIssue): unknown {
  const isField = code === "invalid_union" && typeof discriminator === "string";
  return isField && isRecord(input) ? input[discriminator] : input;
}

/** The values that are allowed, where they can be listed. */
function choices(issue: z.core.$ZodRawIssue): readonly unknown[] | null {
  if (issue.code === "invalid_value") return issue.values;
  return issue.code === "invalid_union" && Array.isArray(issue["options"]) ? issue["options"] : null;
}

function expectation(issue: z.core.$ZodRawIssue): string | null {
  const allowed = choices(issue);
  if (allowed) return oneOf(allowed);
  switch (issue.code) {
    case "invalid_type":
      return typeNames.get(issue.expected) ?? `a ${issue.expected}`;
    case "invalid_union":
      return unionExpectation(issue.errors);
    case "too_small":
      return bound(issue.origin, issue.minimum, issue.inclusive === false ? "more than" : "at least");
    case "too_big":
      return bound(issue.origin, issue.maximum, issue.inclusive === false ? "less than" : "at most");
    case "invalid_format":
      return issue.format === "regex" ? `text that matches ${issue.pattern}` : `a valid ${issue.format}`;
    default:
      return null;
  }
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ["int", "a whole number"],
  ["string", "text"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
]);

function oneOf(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value));
  return texts.length === 1 ? String(texts[0]) : `one of ${texts.join(", ")}`;
}

function unionExpectation(branches: readonly (readonly z.core.$ZodIssue[])[]): string | null {
  const names = branches.flatMap(([issue]) =>
    issue?.code === "invalid_type" ? [typeNames.get(issue.expected) ?? `a ${issue.expected}`] : [],
  );
  return names.length === branches.length && names.length > 0 ? names.join(" or ") : null;
}

function bound(origin: string, limit: number | bigint, word: string): string {
  if (origin === "string")
    return limit === 1 && word === "at least" ? "text that is not empty" : `${word} ${limit} characters long`;
  if (origin === "array") return `a list of ${word} ${limit}`;
  return `${word} ${limit}`;
}
