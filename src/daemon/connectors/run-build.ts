import { Worker } from "node:worker_threads";
import type { BuildIssue } from "../../contract/manifest.ts";
import { workerEntry } from "../native/entry-points.ts";
import type { BuildJob, BuildResult } from "./build-thread.ts";

/** No honest document takes longer. */
const patienceMs = 120_000;

/** Megabytes that a build may use: YAML of 10 MiB takes about 500. */
const maxMegabytes = 1536;

/**
 * Builds in a thread of its own, so that the daemon goes on meanwhile. A document that takes too much time or memory is
 * an answer with an error like any other. Rejects with the signal's reason when that aborts.
 */
export async function runBuild(job: BuildJob, signal: AbortSignal): Promise<BuildResult> {
  signal.throwIfAborted();
  const { filename, options } = workerEntry("build-thread");
  const worker = new Worker(filename, { ...options, resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } });
  const { promise, resolve, reject } = Promise.withResolvers<BuildResult>();
  const giveUp = (message: string): void => resolve(failure(job, message));
  const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("The build was ended"));
  const timer = setTimeout(() => giveUp(`Building took longer than ${patienceMs / 1000} seconds`), patienceMs);
  signal.addEventListener("abort", onAbort, { once: true });
  worker.once("message", resolve);
  worker.once("error", (error) => giveUp(explain(error)));
  worker.once("exit", () => giveUp("The thread that builds ended before it was done"));
  worker.postMessage(job);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

function explain(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return `Building needs more than ${maxMegabytes} MB of memory: give less`;
  return `Building failed: ${error instanceof Error ? error.message.slice(0, 200) : "unknown"}`;
}

function failure({ request }: BuildJob, message: string): BuildResult {
  const issue: BuildIssue = { severity: "error", code: "build_failed", message, path: "", line: null, column: null };
  return { slug: request.slug, issues: [issue], connector: null };
}
