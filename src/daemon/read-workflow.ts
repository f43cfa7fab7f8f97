import { type ParsedWorkflow, parseWorkflowFile } from "../engine/definition/parse-workflow.ts";

/** Reads a workflow file in the format that its name tells, as publishing does. Never throws. */
export function readWorkflow(file: string, text: string): ParsedWorkflow {
  return parseWorkflowFile(text, /\.json$/i.test(file) ? "json" : "yaml");
}
