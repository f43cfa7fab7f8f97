import { diff } from "node:util";
import type { WorkflowDefinition } from "../../contract/workflow.ts";
import type { Paint } from "../colour.ts";
import { safeText } from "../safe-text.ts";
import { canonicalYaml } from "./canonical-yaml.ts";

/** How many lines stand around a change. */
const around = 2;

/** The lines of the canonical form that go (-) and come (+); none when the definitions are the same. */
export function showChanges(before: WorkflowDefinition | null, after: WorkflowDefinition, paint: Paint): string[] {
  const lines = diff(linesOf(after), before ? linesOf(before) : []);
  const isNear = (at: number) => lines.slice(Math.max(0, at - around), at + around + 1).some(([kind]) => kind !== 0);
  const shown: string[] = [];
  let isCut = false;
  for (const [at, [kind, text]] of lines.entries()) {
    const isShown = isNear(at);
    if (isShown && isCut && shown.length > 0) shown.push(paint("dim", "  …"));
    isCut = !isShown;
    if (!isShown) continue;
    const line = safeText(text);
    if (kind === 0) shown.push(`  ${line}`);
    else shown.push(kind < 0 ? paint("red", `- ${line}`) : paint("green", `+ ${line}`));
  }
  return shown;
}

function linesOf(definition: WorkflowDefinition): string[] {
  return canonicalYaml(definition).trimEnd().split("\n");
}
