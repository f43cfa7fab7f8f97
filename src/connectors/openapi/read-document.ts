import { LineCounter, parseDocument } from "yaml";
import type { BuildIssue } from "../../contract/manifest.ts";
import { readJson } from "../../engine/definition/read-json.ts";
import { positionsOf } from "../../engine/definition/text-position.ts";
import { isRecord } from "../../engine/values/json.ts";
import { errorAt } from "../manifest/build-issue.ts";
import type { Part } from "./references.ts";

/** An API description as JSON values, or why it can't be read. */
export type ReadDocument = { document: Part } | { issues: BuildIssue[] };

/** Reads JSON or YAML; a text that begins with a brace is JSON. Aliases that multiply beyond measure are refused. */
export function readDocument(text: string): ReadDocument {
  const value = /^\uFEFF?\s*\{/.test(text) ? parseJsonText(text) : parseYamlText(text);
  if ("issue" in value) return { issues: [value.issue] };
  if (isRecord(value.value)) return { document: value.value };
  const message = "An API description is an object with openapi, info and paths";
  return { issues: [errorAt("", "invalid_openapi", message)] };
}

type Parsed = { value: unknown } | { issue: BuildIssue };

function parseJsonText(text: string): Parsed {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, "")) };
  } catch {
    // Read again, to tell where it breaks off.
    const [problem] = readJson(text).problems;
    const place = problem ? positionsOf(text)(problem.at) : {};
    return { issue: { ...errorAt("", "invalid_json", problem?.message ?? "Not valid JSON"), ...place } };
  }
}

function parseYamlText(text: string): Parsed {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    schema: "core",
    merge: true,
    prettyErrors: false,
    uniqueKeys: false,
    lineCounter,
  });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    return { issue: { ...errorAt("", "invalid_yaml", error.message), line, column: col } };
  }
  try {
    return { value: document.toJS({ maxAliasCount: 10_000 }) };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "it has no JSON values";
    return { issue: errorAt("", "not_json", `The YAML can't be used: ${reason.slice(0, 300)}`) };
  }
}
