import { defineCommand } from "../command.ts";
import { optionalRest } from "../option.ts";
import { checkAnywhere } from "../publish/check-anywhere.ts";
import { findProjectWorkflows } from "../publish/project-workflows.ts";
import { reportResult } from "../publish/report-result.ts";
import { readWorkflowFiles } from "../workflow-files.ts";
import { checkOptions } from "./publish.ts";

export const workflowsValidate = defineCommand({
  name: "validate",
  summary: "check workflow files, with or without a daemon, as publish --check does",
  arguments: { paths: optionalRest("files, and directories with files below them; else those of stepgate.yaml") },
  options: checkOptions,
  examples: ["workflows validate refund.yaml", "workflows validate workflows/ --format github"],
  async action(context, { paths, slug, format, junit, offline }) {
    const files = readWorkflowFiles(paths.length > 0 ? paths : await findProjectWorkflows(context));
    const rules = { check: true, slug, allowBreaking: false, asNew: false, renameFrom: undefined };
    const result = await checkAnywhere(context, files, rules, offline);
    await reportResult(context.output, result, { isCheck: true, format, junit });
  },
});
