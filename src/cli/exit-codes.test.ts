import { expect, it } from "vitest";
import { exitCodes, exitOfAnswer } from "./exit-codes.ts";

it.each([
  [400, "BAD_REQUEST", 2],
  [400, "INPUT_VALIDATION_FAILED", 7],
  [401, "UNAUTHORIZED", 4],
  [403, "FORBIDDEN", 4],
  [404, "RUN_NOT_FOUND", 5],
  [404, "ACTION_NOT_FOUND", 5],
  [409, "ACTION_UNAVAILABLE", 6],
  [413, "PAYLOAD_TOO_LARGE", 2],
  [429, "RATE_LIMIT_EXCEEDED", 8],
  [500, "INTERNAL_ERROR", 1],
  [502, "undefined", 1],
  [503, "OVERLOADED", 8],
])("HTTP %i %s exits with %i", (status, code, exit) => {
  expect(exitCodes[exitOfAnswer(status, code)][0]).toBe(exit);
});
