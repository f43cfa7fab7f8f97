import type { RolledBack, WorkflowDetail } from "../../contract/workflow-api.ts";
import { textCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../context.ts";
import { workflowArgument, workflowPath } from "../find-workflow.ts";
import { flag, optionalArgument } from "../option.ts";
import { printSheet } from "../print.ts";
import { safeText } from "../safe-text.ts";

export const workflowsRollback = defineCommand({
  name: "rollback",
  summary: "publish an earlier version's definition as the next version",
  arguments: {
    workflow: workflowArgument,
    version: optionalArgument("number of the version (the one before the deployed one)"),
  },
  options: { allowBreaking: flag("also when callers of the action have to change") },
  examples: ["workflows rollback refund-order", "workflows rollback refund-order 2 --yes"],
  async action(context, { workflow, version: given, allowBreaking }) {
    const { output } = context;
    const client = await context.control();
    const { versions, deployed_version: deployed } = await client.get<WorkflowDetail>(workflowPath(workflow));
    const version = given === undefined ? previous(versions, deployed) : readVersion(given);
    await confirm(
      context,
      `Publish version ${version} of ${safeText(workflow)} again, in place of version ${deployed}?`,
    );
    const body = { version, allow_breaking: allowBreaking };
    const rolled = await client.post<RolledBack>(`${workflowPath(workflow)}/rollback`, body);
    await printSheet(output, {
      json: rolled,
      id: rolled.workflow_id,
      fields: [
        ["workflow", textCell(rolled.workflow_id)],
        ["action", textCell(rolled.slug)],
        ["version", textCell(rolled.version, "bold")],
        ["as it was in", textCell(rolled.rolled_back_to)],
        ["archived", textCell(rolled.archived_version)],
      ],
    });
  },
});

function previous(versions: WorkflowDetail["versions"], deployed: number | null): number {
  const earlier = versions.map(({ version }) => version).filter((version) => version < (deployed ?? 0));
  if (earlier.length > 0) return Math.max(...earlier);
  throw new CliError("usage", "There is no earlier version to go back to.", {
    hint: "see: stepgate workflows versions",
  });
}

function readVersion(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliError("usage", `${text} is no number of a version.`);
}
