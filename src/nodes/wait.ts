import * as z from "zod";
import { maxWaitMs } from "../contract/limits.ts";
import { defineNode, fail } from "../engine/node.ts";
import { cutText } from "../engine/values/cut-text.ts";
import { readInstant } from "../engine/values/read-instant.ts";
import { readNumber } from "../engine/values/read-number.ts";
import { template } from "./template-field.ts";

const unitMs = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

const config = z.discriminatedUnion("mode", [
  z.strictObject({
    mode: z.literal("duration").describe("Waits for a time"),
    amount: template("How many units, more than 0; 30 days altogether at most"),
    unit: z.enum(["seconds", "minutes", "hours", "days"]).describe("What the amount counts"),
  }),
  z.strictObject({
    mode: z.literal("until_time").describe("Waits until a point in time"),
    until: template("The point in time, ISO-8601; in UTC where it names no zone"),
  }),
]);
type Config = z.infer<typeof config>;

/** Lets time pass (spec 2.10). The engine waits, across restarts, and completes the step itself. */
export const wait = defineNode<Config>({
  type: "wait",
  title: "Wait",
  group: "Flow",
  summary:
    "Goes on after a time or at a point in time, at most 30 days from now; a restart loses nothing. Output: `{resumeAt}`.",
  config,
  templates: ["/amount/**", "/until/**"],
  check(read) {
    if (read.mode === "until_time") return isTemplate(read.until) ? [] : checkInstant(read.until);
    return isTemplate(read.amount) ? [] : checkAmount(read.amount, unitMs[read.unit]);
  },
  timeoutMs: () => null,
  ignores: ["maxRetries"],
  run({ config: read, now }) {
    const from = now().getTime();
    const resumeAt = read.mode === "until_time" ? readInstant(read.until) : from + durationMs(read);
    if (resumeAt !== undefined && !Number.isNaN(resumeAt)) {
      return { kind: "wait", resumeAt: Math.round(Math.min(resumeAt, from + maxWaitMs)) };
    }
    const message =
      read.mode === "until_time"
        ? `until has to be an ISO-8601 date and time and is ${shown(read.until)}`
        : `amount has to be a number above 0 and is ${shown(read.amount)}`;
    return fail("VALIDATION_ERROR", message);
  },
});

/** NaN when the amount is none. */
function durationMs(read: Extract<Config, { mode: "duration" }>): number {
  const amount = readNumber(read.amount);
  return amount !== undefined && amount > 0 ? amount * unitMs[read.unit] : Number.NaN;
}

function isTemplate(value: unknown): boolean {
  return typeof value === "string" && value.includes("{{");
}

function checkInstant(until: unknown) {
  if (readInstant(until) !== undefined) return [];
  const message = `until has to be an ISO-8601 date and time, such as 2026-03-01T09:00:00+01:00, and is ${shown(until)}`;
  return [{ severity: "error", code: "invalid_config", message, pointer: "/until" } as const];
}

function checkAmount(value: unknown, unit: number) {
  const amount = readNumber(value);
  if (amount === undefined || amount <= 0) {
    const message = `amount has to be a number above 0 and is ${shown(value)}`;
    return [{ severity: "error", code: "invalid_config", message, pointer: "/amount" } as const];
  }
  if (amount * unit <= maxWaitMs) return [];
  const message = "A Wait longer than 30 days is cut to 30 days; chain several to wait longer";
  return [{ severity: "warning", code: "wait_cut", message, pointer: "/amount" } as const];
}

function shown(value: unknown): string {
  return value === undefined ? "missing" : cutText(JSON.stringify(value) ?? "nothing", 100);
}
