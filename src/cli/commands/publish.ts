import type { PublishResult } from "../../contract/control.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { type Context, confirm } from "../context.ts";
import { flag, oneOf, optionalRest, value } from "../option.ts";
import { checkAnywhere } from "../publish/check-anywhere.ts";
import { printDeployedDiff } from "../publish/diff-deployed.ts";
import { findProjectWorkflows } from "../publish/project-workflows.ts";
import { type PublishRules, publishHere } from "../publish/publish-here.ts";
import { publishRemotely } from "../publish/publish-remotely.ts";
import { reportResult } from "../publish/report-result.ts";
import { safeText } from "../safe-text.ts";
import { type WorkflowFile, readWorkflowFiles } from "../workflow-files.ts";

/** Options of every command that checks files. */
export const checkOptions = {
  slug: value("SLUG", "slug of the action, where the file names none"),
  format: value("FORM", "text, json, or github: commands that show problems beside the lines of a pull request", {
    parse: oneOf("text", "json", "github"),
  }),
  junit: value("FILE", "write a report in JUnit's form"),
  offline: flag("check by the files alone, also where a daemon runs"),
} as const;

export const publish = defineCommand({
  name: "publish",
  summary: "publish workflow files, or check them",
  arguments: { paths: optionalRest("files, and directories with files below them; else those of stepgate.yaml") },
  options: {
    check: flag("check alone, publish nothing; works without a daemon"),
    all: flag("every workflow of the project's stepgate.yaml, as without files"),
    diff: flag("show what changes about the deployed versions, and ask before publishing it"),
    ...checkOptions,
    allowBreaking: flag("publish although callers of the action have to change"),
    asNew: flag("publish a renamed file as a new workflow"),
    renameFrom: value("OLD", "the workflow that this file was until now, by slug or name"),
  },
  examples: [
    "publish workflows/",
    "publish --check workflows/",
    "publish --check --format github",
    "publish --diff refund.yaml",
    "publish sync.yaml --slug sync-crm",
  ],
  async action(context, { paths, check, all, diff, slug, format, junit, offline, ...rules }) {
    if (offline && !check) throw new CliError("usage", "--offline goes with --check: publishing takes a daemon.");
    if (all && paths.length > 0) throw new CliError("usage", "--all is for the files of stepgate.yaml: name none.");
    const files = readWorkflowFiles(paths.length > 0 ? paths : await findProjectWorkflows(context));
    const allowBreaking = rules.allowBreaking || (await allowsBreaking(context));
    if (diff) await showDiff(context, files, slug, check);
    if (!check && files.length > 1) context.output.note(`Publishing ${files.length} files …`);
    const result = await publishFiles(context, files, { ...rules, allowBreaking, check, slug }, offline);
    await reportResult(context.output, result, { isCheck: check, format, junit });
  },
});

async function publishFiles(
  context: Context,
  files: readonly WorkflowFile[],
  rules: PublishRules,
  isOffline: boolean,
): Promise<PublishResult> {
  const { check, slug, allowBreaking, asNew, renameFrom } = rules;
  if (isOffline) return checkAnywhere(context, files, rules, true);
  if (await context.remoteAddress()) {
    if (asNew || renameFrom !== undefined) {
      throw new CliError("usage", "--as-new and --rename-from are for the daemon of this machine alone.");
    }
    const onFile = noteProgress(context, files.length);
    return publishRemotely(await context.runtime(), context.wiring, { files, check, slug, allowBreaking, onFile });
  }
  return check ? checkAnywhere(context, files, rules, false) : publishHere(await context.control(), files, rules);
}

/** Tells a person how far it is; the result tells the rest. */
function noteProgress({ output }: Context, total: number): (file: string, outcome: string) => void {
  let done = 0;
  return (file, outcome) => {
    done += 1;
    if (total > 1) output.note(`${done}/${total} ${safeText(file)}: ${outcome}`);
  };
}

async function showDiff(
  context: Context,
  files: readonly WorkflowFile[],
  slug: string | undefined,
  isCheck: boolean,
): Promise<void> {
  if (context.output.format === "json" || context.output.format === "jsonl") {
    throw new CliError("usage", "--diff is for people: leave --json out, or see stepgate workflows diff --json.");
  }
  const changed = await printDeployedDiff(context, await context.control(), files, slug);
  // What changes nothing needs nobody's word.
  if (!isCheck && changed > 0)
    await confirm(context, `Publish ${files.length === 1 ? "this file" : `these ${files.length} files`}?`);
}

/** What the project's stepgate.yaml says of breaking changes. */
async function allowsBreaking({ configured }: Context): Promise<boolean> {
  return (await configured("publish.on_breaking")) === "allow";
}
