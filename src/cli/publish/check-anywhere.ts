import type { PublishResult } from "../../contract/control.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import type { WorkflowFile } from "../workflow-files.ts";
import { type PublishRules, publishHere } from "./publish-here.ts";

/**
 * Checks files with the daemon of this machine where one runs, which knows what is deployed; without one by ourselves, with
 * the same checks (contract 18). `isOffline` asks no daemon in any case.
 */
export async function checkAnywhere(
  context: Context,
  files: readonly WorkflowFile[],
  rules: PublishRules,
  isOffline: boolean,
): Promise<PublishResult> {
  if (!isOffline) {
    try {
      return await publishHere(await context.control(), files, { ...rules, check: true });
    } catch (error) {
      if (!(error instanceof CliError) || error.exit !== "unreachable") throw error;
      context.output.note("No daemon runs here: what it knows besides the files is not checked.");
    }
  }
  if (rules.slug !== undefined && files.length > 1) {
    throw new CliError("usage", "A slug names the action of one file: check the files one by one.");
  }
  const named = files.map(({ shown, text }) => ({ file: shown, text }));
  return context.wiring.checkFiles({ files: named, slug: rules.slug });
}
