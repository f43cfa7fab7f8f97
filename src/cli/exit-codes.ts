import type { RunStatus } from "../contract/run.ts";

/** What the command's exit code tells (cli.md; part of contract 18). `stepgate help exit-codes` prints the table. */
export const exitCodes = {
  ok: [0, "done; with --wait: the run succeeded"],
  failure: [1, "unexpected: an internal error of the command or of the daemon; doctor found a problem, a test failed"],
  usage: [2, "wrong usage, a bad flag, an answer needed but no terminal to ask at"],
  unreachable: [3, "the daemon is not running or can't be reached"],
  denied: [4, "the key is missing, refused (401) or lacks a scope (403)"],
  notFound: [5, "no such run, action or key (404)"],
  conflict: [6, "in the way of something else (409): the port or data directory is taken, the action is paused"],
  invalid: [7, "a workflow or a run's input has problems"],
  busy: [8, "refused for now (429, 503), also after retries"],
  runFailed: [10, "with --wait: the run failed"],
  runCancelled: [11, "with --wait: the run was cancelled or rejected"],
  runTimedOut: [12, "with --wait: the run timed out"],
  runNeedsApproval: [13, "with --wait: the run stopped at an approval"],
  waitTimedOut: [124, "the command's --timeout passed and the run is still active"],
} as const satisfies Record<string, readonly [code: number, meaning: string]>;

export type ExitName = keyof typeof exitCodes;

export const signalExitCodes = [
  [130, "ended by SIGINT (Ctrl-C); a run goes on"],
  [143, "ended by SIGTERM; a run goes on"],
] as const;

/** What an ended run makes of `--wait`; a status that is missing here has not ended. */
export const exitOfEndedRun: Partial<Record<RunStatus, ExitName>> = {
  succeeded: "ok",
  failed: "runFailed",
  cancelled: "runCancelled",
  timed_out: "runTimedOut",
};

const exitOfHttpStatus: Record<number, ExitName> = {
  400: "usage",
  401: "denied",
  403: "denied",
  404: "notFound",
  409: "conflict",
  413: "usage",
  415: "usage",
  429: "busy",
  503: "busy",
};

/** The exit of an HTTP error answer. */
export function exitOfAnswer(httpStatus: number, code: string): ExitName {
  if (code === "INPUT_VALIDATION_FAILED") return "invalid";
  return exitOfHttpStatus[httpStatus] ?? "failure";
}
