import { Worker } from "node:worker_threads";
import type { BuildIssue } from "../../contract/manifest.ts";
import { workerEntry } from "../native/entry-points.ts";
import type { BuildJob, BuildResult } from "./build-thread.ts";

/** No honest document takes longer. */
const patienceMs = 120_000;
/** Megabytes that a build may use: YAML of 10 MiB takes about 500. */
const maxMegabytes = 1536;
/** How long the thread stays when there is nothing to build. */
const idleMs = 20_000;
/** A thread that built something larger is not kept: its memory is given back at once. */
const largeBytes = 512 * 1024;

export type BuildRunner = {
  /**
   * Builds in a thread, one job after the other, so that the daemon goes on meanwhile. A document that takes too much
   * time or memory is an answer with an error like any other. Rejects when the runner was stopped.
   */
  run(job: BuildJob): Promise<BuildResult>;
  stop(): void;
};

/** Starts its thread with the first job. */
export function createBuildRunner(): BuildRunner {
  const ending = new AbortController();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function start(): Worker {
    const { filename, options } = workerEntry("build-thread");
    const started = new Worker(filename, { ...options, resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } });
    const forget = (): void => {
      if (worker === started) worker = null;
    };
    started.on("error", forget).on("exit", forget).unref();
    return started;
  }
  function endThread(): void {
    void worker?.terminate();
    worker = null;
  }
  async function runNext(job: BuildJob): Promise<BuildResult> {
    ending.signal.throwIfAborted();
    if (idle) clearTimeout(idle);
    worker ??= start();
    const { result, isBroken } = await ask(worker, job, ending.signal);
    if (isBroken || job.bytes.byteLength > largeBytes) endThread();
    else idle = setTimeout(endThread, idleMs).unref();
    return result;
  }
  return {
    run(job) {
      const built = last.then(async () => runNext(job));
      last = built.catch(() => undefined);
      return built;
    },
    stop() {
      ending.abort(new Error("The daemon stops"));
      if (idle) clearTimeout(idle);
      endThread();
    },
  };
}

/** One job; a thread that is broken after it can't be used for another one. */
async function ask(
  worker: Worker,
  job: BuildJob,
  signal: AbortSignal,
): Promise<{ result: BuildResult; isBroken: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ result: BuildResult; isBroken: boolean }>();
  const giveUp = (message: string): void => resolve({ result: failure(job, message), isBroken: true });
  const onMessage = (result: BuildResult): void => resolve({ result, isBroken: false });
  const onError = (error: unknown): void => giveUp(explain(error));
  const onExit = (): void => giveUp("The thread that builds ended before it was done");
  const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("The build was ended"));
  const timer = setTimeout(() => giveUp(`Building took longer than ${patienceMs / 1000} seconds`), patienceMs);
  signal.addEventListener("abort", onAbort, { once: true });
  worker.once("message", onMessage).once("error", onError).once("exit", onExit).postMessage(job);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    worker.off("message", onMessage).off("error", onError).off("exit", onExit);
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
