import type { Run } from "../../contract/run.ts";
import { defineCommand } from "../command.ts";
import { workflowArgument, workflowPath } from "../find-workflow.ts";
import { value } from "../option.ts";
import { printStartedRun } from "../print-run.ts";
import { readInputObject } from "../read-input.ts";

export const workflowsRun = defineCommand({
  name: "run",
  summary: "start a manual run of the deployed version; an event-driven one has the input as its trigger's output",
  arguments: { workflow: workflowArgument },
  options: { input: value("JSON", "the input as JSON, @FILE, or - for stdin") },
  examples: [`workflows run "On order" --input '{"body": {"id": "o-1"}}'`, "workflows run ID --input @in.json --json"],
  async action({ control, output, terminal }, { workflow, input }) {
    const given = input === undefined ? {} : { input: await readInputObject(input, terminal.stdin) };
    const client = await control();
    await printStartedRun(output, await client.post<Run>(`${workflowPath(workflow)}/run`, given));
  },
});
