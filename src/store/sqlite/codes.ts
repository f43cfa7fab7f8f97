import type { EventType } from "../../contract/journal.ts";
import type { RunSource, RunStatus } from "../../contract/run.ts";

/** Translates a closed set of words to the integers that stand for them in the database, and back. */
export type Codes<W extends string> = { encode: (word: W) => number; decode: (code: number) => W };

/** The numbers are part of the file format: a word may be added, none may change its number. */
function defineCodes<W extends string>(codes: Record<W, number>): Codes<W> {
  const words = new Map<number, W>();
  for (const word in codes) words.set(codes[word], word);
  return {
    encode: (word) => codes[word],
    decode(code) {
      const word = words.get(code);
      if (word === undefined) {
        throw new Error(`The database holds the code ${code}, which means nothing here: a newer Stepgate wrote it`);
      }
      return word;
    },
  };
}

/** Partial indexes name 0 and 1; the terminal statuses are those from 4 on. */
export const statusCodes = defineCodes<RunStatus>({
  accepted: 0,
  running: 1,
  waiting: 2,
  waiting_for_approval: 3,
  succeeded: 4,
  failed: 5,
  cancelled: 6,
  timed_out: 7,
});

/**
 * As `isTerminal`, for a code. Told here, so that the writer's thread does not load the schemas of the contract.
 */
export function isTerminalCode(status: number): boolean {
  return status >= 4;
}

export const sourceCodes = defineCodes<RunSource>({
  action: 0,
  webhook: 1,
  schedule: 2,
  manual: 3,
  replay: 4,
  test: 5,
  dry_run: 6,
});

export const eventCodes = defineCodes<EventType>({
  step_started: 0,
  step_completed: 1,
  step_failed: 2,
  step_failed_continued: 3,
  step_skipped: 4,
  step_timed_out: 5,
  step_pending_approval: 6,
  step_waiting: 7,
});

/** Who has a run: `givenBack` by an executor that stopped before the run was done (migration 2). */
export const holds = { nobody: 0, executor: 1, givenBack: 2 } as const;
