import { writeFileSync } from "node:fs";
import type { WorkflowDetail } from "../../contract/workflow-api.ts";
import { CliError, reasonOf } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { workflowArgument, workflowPath } from "../find-workflow.ts";
import { value, wholeNumber } from "../option.ts";
import { canonicalYaml } from "../publish/canonical-yaml.ts";
import { safeLines } from "../safe-text.ts";

export const workflowsExport = defineCommand({
  name: "export",
  summary: "write a workflow's definition as a file that can be published again",
  arguments: { workflow: workflowArgument },
  options: {
    output: value("FILE", "write here, over what is there", { short: "-o" }),
    version: value("N", "this version, not the deployed one", { parse: wholeNumber(1) }),
  },
  examples: ["workflows export refund-order -o refund.yaml", "workflows export refund-order --version 2"],
  async action({ control, output }, { workflow, output: file, version }) {
    const client = await control();
    const head = await client.get<WorkflowDetail>(workflowPath(workflow));
    const wanted = version ?? head.deployed_version ?? undefined;
    const { definition, ...found } = await client.get<WorkflowDetail>(workflowPath(workflow), { version: wanted });
    // Where the definition does not say whose it is, its id does.
    const id = found.type === "callable" && definition.slug === undefined ? found.workflow_id : null;
    const text = await canonicalYaml(definition, id);
    if (file !== undefined) write(file, text);
    if (output.format === "json" || output.format === "jsonl") {
      output.document({ workflow_id: found.workflow_id, version: found.definition_version, definition });
    } else if (file !== undefined) output.note(`Written to ${file}`);
    else output.print(output.isTerminal ? safeLines(text.trimEnd()) : text.trimEnd());
  },
});

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CliError("usage", `The workflow can't be written: ${reasonOf(error)}.`);
  }
}
