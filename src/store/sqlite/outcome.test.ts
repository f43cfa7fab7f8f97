import { expect, test } from "vitest";
import { ApiError } from "../../contract/errors.ts";
import { WriteRefused } from "../write-refused.ts";
import { flattenError, restoreError } from "./outcome.ts";

test("an error for callers is the same after it crossed threads", () => {
  const extra = { details: [{ a: 1 }], retryAfterSeconds: 7 };
  const error = new ApiError("RATE_LIMIT_EXCEEDED", "Rate limit exceeded", extra);

  const crossed = restoreError(structuredClone(flattenError(error)));
  expect(crossed).toBeInstanceOf(ApiError);
  expect(crossed).toMatchObject({ ...extra, code: "RATE_LIMIT_EXCEEDED", message: "Rate limit exceeded" });
});

test("any other error keeps its message, and SQLite's its code", () => {
  expect(restoreError(flattenError(new TypeError("odd"))).message).toBe("odd");
  expect(restoreError(flattenError("odd")).message).toBe("odd");
  const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  expect(restoreError(flattenError(full)).message).toContain("database or disk is full (SQLITE_FULL)");
});

test("a write that the surroundings refused is told from one that is wrong or that broke the disk", () => {
  const crossed = (code: string) =>
    restoreError(structuredClone(flattenError(Object.assign(new Error("no"), { code }))));
  expect(crossed("SQLITE_FULL")).toBeInstanceOf(WriteRefused);
  expect(crossed("SQLITE_BUSY")).toBeInstanceOf(WriteRefused);
  expect(crossed("SQLITE_CONSTRAINT_UNIQUE")).not.toBeInstanceOf(WriteRefused);
  expect(crossed("SQLITE_IOERR_FSYNC")).not.toBeInstanceOf(WriteRefused);
});
