import { complexity } from "../../contract/limits.ts";
import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { checkHasKind, checkLegacyTypes } from "../checks/check-kind.ts";
import { readDefinition } from "./definition-shape.ts";
import { errorAt } from "./issue.ts";
import { pointerParts } from "../values/json-pointer.ts";
import { isRecord } from "../values/json.ts";
import { offsetInScalar } from "./offset-in-scalar.ts";
import { readJson } from "./read-json.ts";
import { readYaml } from "./read-yaml.ts";
import { readShortEdge } from "./short-edge.ts";
import { findOffset } from "./source-tree.ts";
import { type TextPosition, positionsOf } from "./text-position.ts";

/** What a workflow file says. */
export type ParsedWorkflow = {
  /** Null when the file can't be read as one; may come along with errors, so that more checks can report theirs. */
  definition: WorkflowDefinition | null;
  /** The workflow's id, where the file names one (contract 2, identity). */
  id: string | null;
  issues: Issue[];
  /**
   * Where a JSON pointer into the definition stands in the file, counted from 1; what is missing is where it would be.
   * `within` is a place in the text that the pointer leads to.
   */
  locate(pointer: string, within?: TextPosition): TextPosition | null;
};

/** Reads a workflow file. Reports every problem at once, each with its place in the text. Never throws. */
export function parseWorkflowFile(text: string, format: "yaml" | "json"): ParsedWorkflow {
  const positionOf = positionsOf(text);
  if (Buffer.byteLength(text) > complexity.bytes) {
    const message = `The file is larger than ${complexity.bytes / 1024} KiB; split the workflow`;
    return {
      definition: null,
      id: null,
      issues: [errorAt({ path: "" }, "definition_too_large", message)],
      locate: () => null,
    };
  }
  const { root, problems } = format === "json" ? readJson(text) : readYaml(text);
  const issues = problems.map(({ code, message, at }) => ({
    ...errorAt({ path: "" }, code, message),
    ...positionOf(at),
  }));
  if (!root) return { definition: null, id: null, issues, locate: () => null };
  const locate = (pointer: string, within?: TextPosition) => {
    const at = findOffset(root, pointerParts(pointer));
    return positionOf(within ? offsetInScalar(text, at, within) : at);
  };
  const { id, found, rest } = splitFile(root.value);
  const { definition, issues: shapeIssues } = readDefinition(rest);
  for (const issue of [...found, ...shapeIssues]) issues.push({ ...issue, ...locate(issue.path) });
  return { definition, id, issues, locate };
}

/** Takes off what files alone may say: `id`, `$schema` (for editors of JSON) and edges in the short form. */
function splitFile(value: unknown): { id: string | null; found: Issue[]; rest: unknown } {
  if (!isRecord(value)) return { id: null, found: [], rest: value };
  const { id = null, edges } = value;
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => key !== "id" && key !== "$schema"));
  if (Array.isArray(edges))
    rest["edges"] = edges.map((edge) => (typeof edge === "string" ? (readShortEdge(edge) ?? edge) : edge));
  if (id === null || typeof id === "string") return { id, found: [], rest };
  return {
    id: null,
    found: [errorAt({ path: "/id" }, "invalid_definition", "id must be the text of a workflow's id")],
    rest,
  };
}

/**
 * Checks the shape of a definition that came as JSON. Saving refuses the legacy type `transform` and a definition of
 * neither kind; everything else is left to publishing (contract 2). The definition is null when there is an error.
 */
export function saveDefinition(value: unknown): { definition: WorkflowDefinition | null; issues: Issue[] } {
  const { definition, issues } = readDefinition(value);
  if (definition) issues.push(...checkLegacyTypes(definition), ...checkHasKind(definition));
  const isRefused = issues.some((issue) => issue.severity === "error");
  return { definition: isRefused ? null : definition, issues };
}
