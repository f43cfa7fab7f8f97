import { describe, expect, it } from "vitest";
import { defaultLimits } from "../contract/limits.ts";
import { bindNode, checkNode, runNode } from "../../test/support/run-node.ts";
import { wait } from "./wait.ts";

const day = 86_400_000;
/** runNode's clock stands at the epoch. */
const resume = (data: object, outputs = {}) => runNode(wait, data, { outputs });

describe("wait", () => {
  it.each([
    [{ mode: "duration", amount: 90, unit: "seconds" }, 90_000],
    [{ mode: "duration", amount: 0.5, unit: "minutes" }, 30_000],
    [{ mode: "duration", amount: "2", unit: "hours" }, 7_200_000],
    [{ mode: "duration", amount: 30, unit: "days" }, 30 * day],
    [{ mode: "duration", amount: 31, unit: "days" }, 30 * day],
    [{ mode: "duration", amount: 1e308, unit: "days" }, 30 * day],
    [{ mode: "until_time", until: "1970-01-02T01:00:00+01:00" }, day],
    [{ mode: "until_time", until: "1960-01-01" }, Date.UTC(1960, 0, 1)],
  ])("%o goes on at %i", async (data, resumeAt) => {
    expect(await resume(data)).toEqual({ kind: "wait", resumeAt });
  });

  it.each([
    [{ mode: "duration", amount: "{{a.x}}", unit: "days" }, 'amount has to be a number above 0 and is "soon"'],
    [{ mode: "duration", amount: "{{a.gone}}", unit: "days" }, "amount has to be a number above 0 and is missing"],
    [{ mode: "until_time", until: "{{a.x}}" }, 'until has to be an ISO-8601 date and time and is "soon"'],
  ])("%o fails the step", async (data, message) => {
    expect(await resume(data, { a: { x: "soon" } })).toEqual({
      kind: "fail",
      error: { code: "VALIDATION_ERROR", message },
    });
  });

  it.each([
    [{ mode: "duration", amount: 0, unit: "days" }, "error /amount: amount has to be a number above 0 and is 0"],
    [{ mode: "duration", amount: -1, unit: "days" }, "error /amount: amount has to be a number above 0 and is -1"],
    [
      { mode: "duration", amount: 721, unit: "hours" },
      "warning /amount: A Wait longer than 30 days is cut to 30 days; chain several to wait longer",
    ],
    [
      { mode: "until_time", until: "tomorrow" },
      'error /until: until has to be an ISO-8601 date and time, such as 2026-03-01T09:00:00+01:00, and is "tomorrow"',
    ],
  ])("publishing %o says so", (data, finding) => {
    expect(checkNode(wait, data)).toEqual([finding]);
  });

  it("needs a mode, and refuses another unit", () => {
    expect(checkNode(wait, {})[0]).toMatch(/^error/);
    expect(checkNode(wait, { mode: "duration", amount: 1, unit: "weeks" })[0]).toMatch(/^error \/unit/);
    expect(checkNode(wait, { mode: "duration", amount: "{{a}}", unit: "days" })).toEqual([]);
  });

  it("has no watchdog and is tried once", () => {
    const bound = bindNode(wait, { mode: "until_time", until: "2026-01-01" });
    expect(bound.timeoutMs(defaultLimits)).toBeNull();
    expect(bound.effects).toBe("none");
    expect(wait).toMatchObject({ ignores: ["maxRetries"] });
  });
});
