import { isDeepStrictEqual } from "node:util";
import type { WorkflowDefinition } from "../../contract/workflow.ts";
import type { WorkflowDetail } from "../../contract/workflow-api.ts";
import { CliError } from "../cli-error.ts";
import type { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import { workflowArgument, workflowPath } from "../find-workflow.ts";
import { optionalArgument } from "../option.ts";
import { showChanges } from "../publish/show-changes.ts";

export const workflowsDiff = defineCommand({
  name: "diff",
  summary: "show what differs between two versions of a workflow",
  arguments: {
    workflow: workflowArgument,
    a: optionalArgument("a version, or draft (the version before b)"),
    b: optionalArgument("the other one (the deployed version)"),
  },
  examples: ["workflows diff refund-order", "workflows diff refund-order 1 3", "workflows diff refund-order 3 draft"],
  async action({ control, output }, { workflow, a, b }) {
    const client = await control();
    const head = await client.get<WorkflowDetail>(workflowPath(workflow));
    const right = b ?? String(head.deployed_version ?? "draft");
    const left = a ?? versionBefore(head, right);
    const [before, after] = [await readVersion(client, workflow, left), await readVersion(client, workflow, right)];
    const nodes = compareById(before.nodes, after.nodes);
    const edges = compareById(before.edges, after.edges);
    const isSame = isDeepStrictEqual(before, after);
    if (output.format === "json" || output.format === "jsonl") {
      const settings = changedSettings(before, after);
      output.document({ workflow_id: head.workflow_id, a: left, b: right, same: isSame, settings, nodes, edges });
    } else if (output.format === "ids") output.print(...nodes.added, ...nodes.removed, ...nodes.changed);
    else if (isSame) output.note(`${left} and ${right} are the same.`);
    else {
      output.print(output.paint("bold", `${left} (-) against ${right} (+)`));
      output.print(...(await showChanges(before, after, output.paint)));
    }
  },
});

function versionBefore({ versions }: WorkflowDetail, right: string): string {
  const numbers = versions.map(({ version }) => version).toSorted((a, b) => b - a);
  const before = right === "draft" ? numbers[0] : numbers.find((version) => version < Number(right));
  if (before !== undefined) return String(before);
  throw new CliError("usage", `There is no version before ${right} to compare it with.`, {
    hint: "see: stepgate workflows versions",
  });
}

async function readVersion(client: Client, workflow: string, which: string): Promise<WorkflowDefinition> {
  if (which !== "draft" && !/^[1-9]\d{0,8}$/.test(which)) {
    throw new CliError("usage", `${which} is neither the number of a version nor draft.`);
  }
  const version = which === "draft" ? undefined : Number(which);
  return (await client.get<WorkflowDetail>(workflowPath(workflow), { version })).definition;
}

type Compared = { added: string[]; removed: string[]; changed: string[] };

function compareById(before: readonly { id: string }[], after: readonly { id: string }[]): Compared {
  const old = new Map(before.map((each) => [each.id, each]));
  const now = new Map(after.map((each) => [each.id, each]));
  return {
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
    changed: [...now].filter(([id, each]) => old.has(id) && !isDeepStrictEqual(old.get(id), each)).map(([id]) => id),
  };
}

/** Fields of the workflow itself that differ. */
function changedSettings(before: WorkflowDefinition, after: WorkflowDefinition): string[] {
  const fields = ["name", "slug", "description", "approval_policy", "concurrency", "on_failure"] as const;
  return fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
}
