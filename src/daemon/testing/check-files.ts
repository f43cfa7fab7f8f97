import type { PublishResult } from "../../contract/control.ts";
import type { Issue } from "../../contract/workflow.ts";
import type { ScriptRunner } from "../../engine/script.ts";
import { nodes } from "../../nodes/index.ts";
import { publishFiles } from "../publish-files.ts";
import { createScriptRunner } from "../sandbox/script-runner.ts";
import { openBench, userId, workspaceId } from "./open-bench.ts";

export type CheckRequest = { files: readonly { file: string; text: string }[]; slug: string | undefined };

/** Variables and secrets are the workspace's own: nothing is known of them without its daemon. */
const unknowable: ReadonlySet<string> = new Set(["unknown_variable", "unknown_secret"]);

/**
 * Checks workflow files without a daemon, with what publishing checks them with (contract 18). Of connectors only the
 * bundled ones are known: the others are warned of. What is deployed is not known either, so every version is the first.
 */
export async function checkFiles(request: CheckRequest): Promise<PublishResult> {
  const scripts = createScriptRunner();
  try {
    return await checkFilesWith(scripts, request);
  } finally {
    scripts.stop();
  }
}

/** The same with a script runner that is there already. */
export async function checkFilesWith(
  scripts: ScriptRunner & { stop(): void },
  { files, slug }: CheckRequest,
): Promise<PublishResult> {
  const bench = await openBench({ now: Date.now(), catalogue: nodes, scripts });
  try {
    const place = { workspaceId, userId, webhookUrl: () => "" };
    const rules = { check: true, allow_breaking: true, as_new: false, ...(slug !== undefined && { slug }) };
    const result = await publishFiles(bench.services, place, { ...rules, files: [...files] });
    return {
      published: result.published.map((row) => ({ ...row, warnings: knowable(row.warnings) })),
      unchanged: result.unchanged,
      failed: result.failed.map(({ file, issues }) => ({ file, issues: knowable(issues) })),
    };
  } finally {
    await bench.close();
  }
}

function knowable(issues: readonly Issue[]): Issue[] {
  return issues.filter(({ code }) => !unknowable.has(code));
}
