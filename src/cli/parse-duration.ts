import { readDuration } from "../contract/duration.ts";

const datePattern = /^(?<day>\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds of `30s`, `10m`, `1.5h`, `90d`. Throws on anything else. */
export function parseDuration(text: string): number {
  const ms = readDuration(text);
  if (ms === null) throw new Error("must be a length of time such as 30s, 10m, 2h or 90d");
  return ms;
}

/** V8 reads the 31st of February as the 3rd of March. */
function isCalendarDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

/** A moment: a date or date-time with its zone, or a length of time before or after `now`. Throws on anything else. */
export function parseMoment(text: string, now: Date, direction: "ago" | "ahead"): Date {
  const ms = readDuration(text);
  const { day } = datePattern.exec(text)?.groups ?? {};
  const isDate = day !== undefined && isCalendarDay(day);
  const at = new Date(isDate ? text : now.getTime() + (ms ?? Number.NaN) * (direction === "ago" ? -1 : 1));
  if (Number.isNaN(at.getTime())) {
    throw new Error("must be a length of time such as 30s, 10m or 90d, or a date-time such as 2027-01-31T12:00:00Z");
  }
  return at;
}
