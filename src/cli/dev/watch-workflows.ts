import { existsSync } from "node:fs";
import { extname } from "node:path";
import { watch } from "chokidar";
import { isTestFile } from "../workflow-files.ts";

/** Editors save in several steps; what comes within this time is one change. */
const settleMs = 100;

const extensions = new Set([".yaml", ".yml", ".json"]);

/**
 * Calls `publish` with the workflow files that changed, one batch after the other, never two at once. Gives a function
 * that ends the watching after the batch in hand.
 */
export async function watchWorkflows(
  paths: readonly string[],
  publish: (files: readonly string[]) => Promise<void>,
): Promise<() => Promise<void>> {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let inHand = Promise.resolve();
  const publishChanged = async () => {
    const files = [...changed].filter((file) => existsSync(file)).toSorted();
    changed.clear();
    if (files.length > 0) await publish(files);
  };
  const watcher = watch([...paths], {
    ignoreInitial: true,
    ignored: (path, stats) => isHidden(path) || (stats?.isFile() === true && !isWorkflow(path)),
  });
  const note = (path: string) => {
    if (!isWorkflow(path)) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => void (inHand = inHand.then(publishChanged)), settleMs);
  };
  watcher.on("add", note).on("change", note);
  await new Promise<void>((resolve) => void watcher.once("ready", resolve));
  return async () => {
    clearTimeout(timer);
    await watcher.close();
    await inHand;
  };
}

function isHidden(path: string): boolean {
  return /(?:^|[\\/])(?:node_modules|\.(?!\.?$|\.?[\\/])[^\\/]*)$/.test(path);
}

function isWorkflow(path: string): boolean {
  return extensions.has(extname(path)) && !isTestFile(path) && !/(?:^|[\\/])stepgate\.yaml$/.test(path);
}
