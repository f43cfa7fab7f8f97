import { expect, test } from "vitest";
import { ApiError } from "../../contract/errors.ts";
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
