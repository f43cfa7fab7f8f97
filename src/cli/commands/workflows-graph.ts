import { existsSync, readFileSync } from "node:fs";
import type { WorkflowDefinition } from "../../contract/workflow.ts";
import type { OpenedWorkflow, WorkflowDetail } from "../../contract/workflow-api.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { workflowPath } from "../find-workflow.ts";
import { graphText } from "../graph/lane-text.ts";
import { drawLanes } from "../graph/lanes.ts";
import { argument, flag } from "../option.ts";
import { safeText } from "../safe-text.ts";

export const workflowsGraph = defineCommand({
  name: "graph",
  summary: "draw the graph of a workflow's draft, or of a file",
  arguments: { workflow: argument("id or name of the workflow, slug of its action, or a workflow file") },
  options: { mermaid: flag("print Mermaid text, which many editors and sites draw") },
  examples: [
    "workflows graph refund-order",
    "workflows graph refund.yaml --ascii",
    "workflows graph refund-order --mermaid > refund-order.mmd",
    "workflows graph refund-order --json",
  ],
  async action(context, { workflow, mermaid }) {
    const { output } = context;
    if (/\.(?:ya?ml|json)$/i.test(workflow) && existsSync(workflow)) {
      if (mermaid) throw new CliError("usage", "Mermaid text is made of published workflows: name one.");
      return draw(context, await readFile(context, workflow));
    }
    const client = await context.control();
    const isDocument = output.format === "json" || output.format === "jsonl";
    if (!isDocument && !mermaid) {
      return draw(context, (await client.get<WorkflowDetail>(workflowPath(workflow))).definition);
    }
    const opened = await client.get<OpenedWorkflow>(`${workflowPath(workflow)}/graph`);
    if (isDocument) output.document(opened);
    else output.print(...opened.mermaid.trimEnd().split("\n").map(safeText));
  },
});

async function readFile({ wiring }: Context, file: string): Promise<WorkflowDefinition> {
  const { definition, issues } = await wiring.readWorkflow(file, readFileSync(file, "utf8"));
  if (definition) return definition;
  throw new CliError("invalid", `${file} can't be read as a workflow: ${issues[0]?.message ?? "it is empty"}.`, {
    hint: `see: stepgate workflows validate ${file}`,
  });
}

function draw({ output, flags }: Context, { nodes, edges }: WorkflowDefinition): void {
  if (output.format === "json" || output.format === "jsonl") return output.document({ nodes, edges });
  const types = new Map(nodes.map(({ id, type, name, label }) => [id, { type, name: name ?? label }]));
  const describe = (id: string) => {
    const { type = "", name } = types.get(id) ?? {};
    const shown = `${output.paint("bold", safeText(id))} ${output.paint("dim", safeText(type))}`;
    return { sign: flags.ascii ? "o" : "●", text: name === undefined ? shown : `${shown} ${safeText(name)}` };
  };
  const isAscii = flags.ascii || (output.isTerminal && !output.isUnicode);
  const rows = drawLanes(
    nodes,
    edges.map(({ source, target, sourceHandle }) => ({ source, target, sourceHandle })),
  );
  output.print(...graphText(rows, describe, isAscii));
}
