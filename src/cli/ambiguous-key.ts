import { CliError } from "./cli-error.ts";

/** An error about a named key: a name or prefix of several is the caller's mistake, not a conflict (contract 18). */
export function explainAmbiguousKey(error: unknown): unknown {
  if (!(error instanceof CliError) || error.extra.code !== "CONFLICT") return error;
  // The candidates.
  return error.extra.details?.length ? new CliError("usage", error.message, error.extra) : error;
}
