import type { WorkflowDefinition } from "../../contract/workflow.ts";
import type { WorkflowDetail } from "../../contract/workflow-api.ts";
import { CliError } from "../cli-error.ts";
import type { Client } from "../client.ts";
import type { Context } from "../context.ts";
import { workflowPath } from "../find-workflow.ts";
import { safeText } from "../safe-text.ts";
import type { WorkflowFile } from "../workflow-files.ts";
import { showChanges } from "./show-changes.ts";

/**
 * Prints what publishing files would change about the versions that are deployed, and resolves to how many files change
 * something. Files that can't be read are left out.
 */
export async function printDeployedDiff(
  context: Pick<Context, "wiring" | "output">,
  client: Client,
  files: readonly WorkflowFile[],
  slug: string | undefined,
): Promise<number> {
  let changed = 0;
  for (const { shown, text } of files) {
    const { definition, id } = await context.wiring.readWorkflow(shown, text);
    if (!definition) continue;
    const named = slug === undefined || definition.slug !== undefined ? definition : { ...definition, slug };
    const deployed = await findDeployed(client, id ?? named.slug ?? named.name);
    if (await printChange(context, shown, deployed, named)) changed += 1;
  }
  return changed;
}

/** Whether there is one. */
async function printChange(
  { output }: Pick<Context, "output">,
  shown: string,
  deployed: WorkflowDetail | null,
  definition: WorkflowDefinition,
): Promise<boolean> {
  const lines = await showChanges(deployed?.definition ?? null, plain(definition), output.paint);
  const against = deployed ? `version ${deployed.definition_version}` : "nothing deployed";
  const head = `${safeText(shown)}: ${lines.length === 0 ? "unchanged since" : "against"} ${against}`;
  output.print(output.paint("bold", head), ...lines);
  return lines.length > 0 || deployed === null;
}

/** Null when there is no such workflow, or nothing of it is deployed. */
async function findDeployed(client: Client, reference: string): Promise<WorkflowDetail | null> {
  try {
    const { deployed_version: version } = await client.get<WorkflowDetail>(workflowPath(reference));
    if (version === null) return null;
    return await client.get<WorkflowDetail>(workflowPath(reference), { version });
  } catch (error) {
    if (error instanceof CliError && error.exit === "notFound") return null;
    throw error;
  }
}

/** As it is stored. */
function plain(definition: WorkflowDefinition): WorkflowDefinition {
  return JSON.parse(JSON.stringify(definition)) as WorkflowDefinition;
}
