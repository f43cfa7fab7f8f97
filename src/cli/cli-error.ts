import { exitCodes, type ExitName } from "./exit-codes.ts";

type Extra = {
  /** What to do about it: a command or a flag. */
  hint?: string | undefined;
  /** The API's error code; those made here are named after the exit. */
  code?: string | undefined;
  httpStatus?: number | undefined;
  retryAfterSeconds?: number | undefined;
  details?: readonly unknown[] | undefined;
};

const ownCodes: Record<ExitName, string> = {
  ok: "OK",
  failure: "INTERNAL_ERROR",
  usage: "USAGE",
  unreachable: "DAEMON_UNREACHABLE",
  denied: "UNAUTHORIZED",
  notFound: "NOT_FOUND",
  conflict: "CONFLICT",
  invalid: "INVALID",
  busy: "OVERLOADED",
  runFailed: "RUN_FAILED",
  runCancelled: "RUN_CANCELLED",
  runTimedOut: "RUN_TIMED_OUT",
  runNeedsApproval: "RUN_NEEDS_APPROVAL",
  waitTimedOut: "WAIT_TIMED_OUT",
};

/** What an error of unknown origin says, to stand at the end of a sentence. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}

/** Node's code of a system error, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** An error that the user may see: what happened, to what, and what to do. It decides the exit code. */
export class CliError extends Error {
  readonly exit: ExitName;
  readonly extra: Extra;

  constructor(exit: ExitName, message: string, extra: Extra = {}) {
    super(message);
    this.name = "CliError";
    this.exit = exit;
    this.extra = extra;
  }

  get exitCode(): number {
    return exitCodes[this.exit][0];
  }

  /** The object on stderr under --json; every member is always there (cli.md). */
  toJSON(): Record<string, unknown> {
    const { code, httpStatus, retryAfterSeconds, details, hint } = this.extra;
    return {
      error: this.message,
      code: code ?? ownCodes[this.exit],
      http_status: httpStatus ?? null,
      retry_after_s: retryAfterSeconds ?? null,
      details: details ?? [],
      hint: hint ?? null,
      exit_code: this.exitCode,
    };
  }
}
