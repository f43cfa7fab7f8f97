import type { WorkflowDefinition } from "../../contract/workflow.ts";
import type { Paint } from "../colour.ts";
import { safeText } from "../safe-text.ts";
import { showDiff } from "../show-diff.ts";
import { canonicalYaml } from "./canonical-yaml.ts";

/** The lines of the canonical form that go (-) and come (+); none when the definitions are the same. */
export function showChanges(before: WorkflowDefinition | null, after: WorkflowDefinition, paint: Paint): string[] {
  return showDiff(before ? linesOf(before) : [], linesOf(after), paint, 2);
}

function linesOf(definition: WorkflowDefinition): string[] {
  return canonicalYaml(definition).trimEnd().split("\n").map(safeText);
}
