import { Worker } from "node:worker_threads";
import type { ScriptProblem } from "../../engine/script.ts";
import { workerEntry } from "../native/entry-points.ts";
import type { StripAnswer } from "./strip-types.ts";

export type Stripped = { code: string } | { problem: ScriptProblem };

export type TypeStripper = {
  /** Takes the types off a script; lines and columns stay as they are. What needs more than that is a problem. */
  strip(code: string): Promise<Stripped>;
  stop(): void;
};

/** Source that takes longer was made to. */
const patienceMs = 5000;

const tooComplex: Stripped = {
  problem: { message: "The code is nested too deeply to be read; make it simpler", line: 1, column: 1 },
};

/** Starts its thread with the first script, and anew after one that broke it. */
export function createTypeStripper(): TypeStripper {
  let worker: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function start(): Worker {
    const { filename, options } = workerEntry("strip-types");
    const started = new Worker(filename, options);
    const forget = (): void => {
      if (worker === started) worker = null;
    };
    started.on("error", forget).on("exit", forget).unref();
    return started;
  }
  function stop(): void {
    void worker?.terminate();
    worker = null;
  }
  async function stripNext(code: string): Promise<Stripped> {
    worker ??= start();
    const answer = await ask(worker, code);
    if (answer) return "code" in answer ? answer : { problem: explain(answer) };
    stop();
    return tooComplex;
  }
  return {
    strip(code) {
      const stripped = last.then(async () => stripNext(code));
      last = stripped.catch(() => undefined);
      return stripped;
    },
    stop,
  };
}

/** Null when the thread ended or took too long. */
async function ask(worker: Worker, code: string): Promise<StripAnswer | null> {
  const { promise, resolve } = Promise.withResolvers<StripAnswer | null>();
  const give = (answer: StripAnswer): void => resolve(answer);
  const giveUp = (): void => resolve(null);
  const timer = setTimeout(giveUp, patienceMs);
  worker.once("message", give).once("error", giveUp).once("exit", giveUp).postMessage(code);
  const answer = await promise;
  clearTimeout(timer);
  worker.off("message", give).off("error", giveUp).off("exit", giveUp);
  return answer;
}

/** Node names what it only could not strip; enums, namespaces and the like are more than types. */
function explain({ message, line, column }: ScriptProblem): ScriptProblem {
  const unsupported = /^TypeScript (.+) is not supported in strip-only mode$/.exec(message)?.[1];
  if (!unsupported) return { message, line, column };
  return { message: `A TypeScript ${unsupported} is more than a type; write it as JavaScript`, line, column };
}
