import { Cron } from "croner";
import type { Json } from "../../contract/json.ts";

/** When a trigger fires (spec 2.11): every so many seconds from its activation on, or by a cron expression in a zone. */
export type Schedule = {
  /** What runs are told of it: `scheduleType` and `expression` of the trigger's output. */
  type: "interval" | "cron";
  expression: string;
  timezone: string;
  /** Whether one firing that was missed is made up (contract 12). */
  makesUp: boolean;
  /** Leaves a firing out while the run of the one before is not over. */
  skipsOverlap: boolean;
  /** The first firing after a moment, both in epoch milliseconds; null when there is none any more. */
  next(after: number): number | null;
};

/**
 * Reads the data of a schedule's trigger, which was checked when it was published. `activatedAt` is where the beat of an
 * interval begins.
 */
export function readSchedule(config: { [key: string]: Json }, activatedAt: number): Schedule {
  const firings = { makesUp: config["missed"] !== "skip", skipsOverlap: config["overlap"] === "skip" };
  if (config["mode"] === "interval") {
    const seconds = Number(config["seconds"]);
    const next = (after: number) => nextBeat(activatedAt, seconds * 1000, after);
    return { type: "interval", expression: `every ${seconds}s`, timezone: "UTC", ...firings, next };
  }
  const { expression: given, timezone: zone } = config;
  const expression = typeof given === "string" ? given.trim() : "";
  const timezone = typeof zone === "string" ? zone : "UTC";
  return { type: "cron", expression, timezone, ...firings, next: cronBeat(expression, timezone) };
}

/** One that an earlier version published unchecked, or whose zone is gone, never fires: it must not keep a daemon down. */
function cronBeat(expression: string, timezone: string): Schedule["next"] {
  try {
    const cron = parseCron(expression, timezone);
    cron.nextRun(new Date(0));
    return (after) => cron.nextRun(new Date(after))?.getTime() ?? null;
  } catch {
    return () => null;
  }
}

function nextBeat(from: number, everyMs: number, after: number): number {
  return from + everyMs * Math.max(1, Math.floor((after - from) / everyMs) + 1);
}

/**
 * A time of day that a change of the clocks skips fires once right after the gap, and one that comes twice fires once;
 * what has a `*` or a step in minutes or hours goes by the time that passes (contract 12). Throws for what is no cron
 * expression of five fields.
 */
function parseCron(expression: string, timezone: string): Cron {
  return new Cron(expression, { timezone, mode: "5-part", fixedTimeRule: "no-wildcard" });
}

/** What is wrong with a cron expression; null when nothing is. The zone has been checked. */
export function findCronProblem(expression: string, timezone: string, now: Date): string | null {
  const fields = expression.trim().split(/\s+/).filter(Boolean).length;
  if (fields !== 5 && !expression.trim().startsWith("@")) {
    return `is no cron expression: it has ${fields} field${fields === 1 ? "" : "s"} and needs five: minute, hour, day of the month, month, day of the week`;
  }
  try {
    if (parseCron(expression.trim(), timezone).nextRun(now) !== null) return null;
    return "never comes true: there is no such day";
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    return `is no cron expression: ${countedFromOne(reason)}`;
  }
}

/** The library's words name the field; days and months it counts from 0, unlike whoever wrote the expression. */
function countedFromOne(reason: string): string {
  return reason.replace(
    /^(Invalid value for (?:day|month): )(-?\d+)$/,
    (_, words: string, value: string) => `${words}${Number(value) + 1}`,
  );
}

/** The next firings after a moment, at most so many. */
export function nextFirings(schedule: Schedule, after: number, count: number): number[] {
  const firings: number[] = [];
  for (let at = schedule.next(after); at !== null && firings.length < count; at = schedule.next(at)) firings.push(at);
  return firings;
}

/** How late a firing may be made up (contract 12); for an interval also at most its length, which follows by itself. */
const longestDelayMs = 3_600_000;
/** A loop that is awake once a minute is that late without having missed anything. */
const onTimeMs = 60_000;

/**
 * Which firing takes place now, of those from `due` on: never more than one, the latest that there was. One that was
 * missed, since nobody was awake or the clock jumped, is made up if the schedule says so and it is not an hour old. Null:
 * none; also when `due` is no firing of this schedule.
 */
export function firingNow(schedule: Schedule, due: number, now: number, wasDown: boolean): number | null {
  if (schedule.next(due - 1) !== due) return null;
  const isMissed = wasDown || now - due > onTimeMs;
  if (isMissed && !schedule.makesUp) return null;
  let latest: number | null = null;
  let at = schedule.next(Math.max(due, now - longestDelayMs) - 1);
  for (; at !== null && at <= now; at = schedule.next(at)) latest = at;
  return latest;
}
