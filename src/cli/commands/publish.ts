import type { PublishResult } from "../../contract/control.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { flag, optionalRest, value } from "../option.ts";
import { printPublished } from "../publish/print-published.ts";
import { findProjectWorkflows } from "../publish/project-workflows.ts";
import { type PublishRules, publishHere } from "../publish/publish-here.ts";
import { publishRemotely } from "../publish/publish-remotely.ts";
import { type WorkflowFile, readWorkflowFiles } from "../workflow-files.ts";

export const publish = defineCommand({
  name: "publish",
  summary: "publish workflow files, or check them",
  arguments: { paths: optionalRest("files, and directories with files below them; else those of stepgate.yaml") },
  options: {
    check: flag("check alone, publish nothing"),
    slug: value("SLUG", "slug of the action, where the file names none"),
    allowBreaking: flag("publish although callers of the action have to change"),
    asNew: flag("publish a renamed file as a new workflow"),
    renameFrom: value("OLD", "the workflow that this file was until now, by slug or name"),
  },
  examples: ["publish workflows/", "publish --check workflows/", "publish sync.yaml --slug sync-crm"],
  async action(context, { paths, check, slug, ...rules }) {
    const { output } = context;
    const files = readWorkflowFiles(paths.length > 0 ? paths : await findProjectWorkflows(context));
    const allowBreaking = rules.allowBreaking || (await allowsBreaking(context));
    const result = await publishFiles(context, files, { ...rules, allowBreaking, check, slug });
    await printPublished(output, result, check);
    if (result.failed.length > 0) {
      throw new CliError("invalid", `${result.failed.length} of ${files.length} files failed.`);
    }
  },
});

async function publishFiles(
  context: Context,
  files: readonly WorkflowFile[],
  rules: PublishRules,
): Promise<PublishResult> {
  const { check, slug, allowBreaking, asNew, renameFrom } = rules;
  if (await context.remoteAddress()) {
    if (asNew || renameFrom !== undefined) {
      throw new CliError("usage", "--as-new and --rename-from are for the daemon of this machine alone.");
    }
    return publishRemotely(await context.runtime(), context.wiring, { files, check, slug, allowBreaking });
  }
  const client = await context.control();
  return publishHere(client, files, rules);
}

/** What the project's stepgate.yaml says of breaking changes. */
async function allowsBreaking({ configured }: Context): Promise<boolean> {
  return (await configured("publish.on_breaking")) === "allow";
}
