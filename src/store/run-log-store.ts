import type { Iteration } from "../contract/iteration.ts";

/** The part of the store's promise that is about the console of scripts; everybody imports it from `store.ts`. */

/** A line that a step of a run wrote to its console. */
export type RunLogLine = { stepId: string; iteration: Iteration; attempt: number; text: string; createdAt: number };

export type RunLogStore = {
  /** Keeps a line with its run, as long as the run has less than `maxBytes` of them: the last one says that it is. */
  appendRunLog(input: { runId: string; line: RunLogLine; maxBytes: number }): Promise<void>;
  /** Lines after `after` in the order in which they were written; `seq` counts from 1 within the run. */
  readRunLog(runId: string, after: number, limit: number): Promise<(RunLogLine & { seq: number })[]>;
};
