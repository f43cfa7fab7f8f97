import type { WorkflowDefinition } from "../../contract/workflow.ts";
import type { Paint } from "../colour.ts";
import { safeText } from "../safe-text.ts";
import { showDiff } from "../show-diff.ts";
import { canonicalYaml } from "./canonical-yaml.ts";

/** The lines of the canonical form that go (-) and come (+); none when the definitions are the same. */
export async function showChanges(
  before: WorkflowDefinition | null,
  after: WorkflowDefinition,
  paint: Paint,
): Promise<string[]> {
  return showDiff(before ? await linesOf(before) : [], await linesOf(after), paint, 2);
}

async function linesOf(definition: WorkflowDefinition): Promise<string[]> {
  return (await canonicalYaml(definition)).trimEnd().split("\n").map(safeText);
}
