import type { Json } from "../contract/json.ts";

/** Why a script can't be run, and where in it, both counted from 1. */
export type ScriptProblem = { message: string; line: number; column: number };

export type ScriptRun = {
  /** JavaScript or TypeScript of a module with an entry function (spec 2.10, Code). */
  code: string;
  inputs: Json;
  now: Date;
  /** Its abort ends the script at once, whatever it is doing. */
  signal: AbortSignal;
  /** Told of each line that the script writes to its console. */
  log(text: string): void;
};

export type ScriptResult =
  | { ok: true; output: Json }
  | { ok: false; message: string; details?: { [key: string]: Json } };

/** Runs users' scripts where they can harm nothing else (contract 16). */
export type ScriptRunner = {
  /** Compiles and loads a script and looks for its entry function; null when there is nothing to complain of. */
  check(code: string): Promise<ScriptProblem | null>;
  run(run: ScriptRun): Promise<ScriptResult>;
};
