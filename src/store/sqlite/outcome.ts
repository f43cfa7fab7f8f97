import { ApiError, type ErrorCode } from "../../contract/errors.ts";
import { WriteRefused } from "../write-refused.ts";
import type { Effect } from "./effect.ts";

/** How an operation ended: its effect once that is durable, or why nothing of it happened. */
export type Outcome = ({ ok: true } & Effect<unknown>) | { ok: false; error: PlainError };

/** An error as it crosses threads, where classes are lost. */
export type PlainError =
  | { name: "ApiError"; code: ErrorCode; message: string; details?: unknown[]; retryAfterSeconds?: number }
  | { name: "Error"; message: string }
  | { name: "WriteRefused"; message: string };

/** What SQLite refuses because of its surroundings, not because of what is asked. */
const passing = /^SQLITE_(FULL|BUSY|LOCKED|NOMEM|CANTOPEN|READONLY|PROTOCOL)/;

export function flattenError(error: unknown): PlainError {
  if (error instanceof ApiError) {
    const { code, message, details, retryAfterSeconds } = error;
    return {
      name: "ApiError",
      code,
      message,
      ...(details ? { details } : {}),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
  }
  const code = sqliteCode(error);
  const message = error instanceof Error ? error.message : String(error);
  if (!code) return { name: "Error", message };
  const name = passing.test(code) ? "WriteRefused" : "Error";
  return { name, message: `The database refused a write: ${message} (${code})` };
}

export function restoreError(error: PlainError): Error {
  if (error.name === "Error") return new Error(error.message);
  if (error.name === "WriteRefused") return new WriteRefused(error.message);
  const { code, message, name: _, ...extra } = error;
  return new ApiError(code, message, extra);
}

/** SQLite's name of what went wrong, such as SQLITE_FULL; undefined when the error is not SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : undefined;
}
