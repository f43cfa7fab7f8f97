import type { Json } from "../../contract/json.ts";
import { maxJsonDepth } from "../../contract/limits.ts";
import type { ScriptProblem, ScriptResult, ScriptRunner } from "../../engine/script.ts";
import { isWithinDepth } from "../http/read-body.ts";
import { locateFailure } from "./locate-failure.ts";
import type { ScriptAnswer, ScriptFailure } from "./message.ts";
import { createSandboxPool } from "./pool.ts";
import { type Stripped, createTypeStripper } from "./type-stripper.ts";

/** How long a module may take to load when it is checked; a busy machine starts the process in some of it. */
const loadMs = 10_000;

/** Scripts whose types are off already; more are stripped anew when they run. */
const maxKept = 64;

/** The daemon's one way to run users' scripts. Nothing is started before the first of them. */
export function createScriptRunner(): ScriptRunner & { stop(): void } {
  const pool = createSandboxPool();
  const stripper = createTypeStripper();
  const kept = new Map<string, Promise<Stripped>>();
  let isStopped = false;

  function strip(code: string): Promise<Stripped> {
    const stripped = kept.get(code) ?? stripper.strip(code);
    // Reinsertion keeps the map in order of use.
    kept.delete(code);
    kept.set(code, stripped);
    const [oldest] = kept.size > maxKept ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
    return stripped;
  }
  return {
    async check(code) {
      const stripped = await strip(code);
      if ("problem" in stripped) return stripped.problem;
      return findProblem(await pool.run({ code: stripped.code, input: null, now: 0, maxMs: loadMs }), code);
    },
    async run({ code, inputs, now, signal, log }) {
      const stripped = await strip(code);
      if ("problem" in stripped) return { ok: false, message: stripped.problem.message };
      const input = JSON.stringify(inputs);
      const answer = await pool.run({ code: stripped.code, input, now: now.getTime(), signal, log });
      // A step that the daemon leaves behind at its stop has not failed: the next start runs it again.
      return isStopped ? new Promise(() => undefined) : readAnswer(answer, code);
    },
    stop() {
      isStopped = true;
      pool.stop();
      stripper.stop();
    },
  };
}

function findProblem(answer: ScriptAnswer, code: string): ScriptProblem | null {
  if (answer.kind === "result") return null;
  const start = { line: 1, column: 1 };
  if (answer.kind === "failure") {
    const { stage, name } = answer.error;
    const { message, place } = locateFailure(answer.error, code);
    const isThrown = stage !== "compile" && name !== "NoEntry";
    return { message: isThrown ? `The code fails while it loads: ${message}` : message, ...(place ?? start) };
  }
  return { message: `The code can't be loaded: ${answer.reason}`, ...start };
}

function readAnswer(answer: ScriptAnswer, code: string): ScriptResult {
  if (answer.kind === "lost") return { ok: false, message: answer.reason };
  if (answer.kind === "failure") return describeFailure(answer.error, code);
  const output: Json = JSON.parse(answer.result);
  if (!isWithinDepth(output, maxJsonDepth)) {
    return { ok: false, message: `The result is nested more than ${maxJsonDepth} levels deep` };
  }
  return { ok: true, output };
}

/** Keeps the script's own message and says where in the script it was thrown. */
function describeFailure(error: ScriptFailure, code: string): ScriptResult {
  const { message, place } = locateFailure(error, code);
  const details = { ...(error.name !== "" && { name: error.name }), ...place };
  const where = place ? ` (line ${place.line}, column ${place.column})` : "";
  return { ok: false, message: `${message || error.name || "The code failed without a message"}${where}`, details };
}
