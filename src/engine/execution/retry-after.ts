import { toEpochMs } from "../values/calendar.ts";

/** Longer waits than a day are cut. */
const maxSeconds = 86_400;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const month = `(?<month>${months.join("|")})`;
const time = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
const shortDay = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const longDay = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";

/** The forms of an HTTP date (RFC 9110, 5.6.7): the current one, RFC 850 with two digits of the year, and asctime. */
const forms = [
  new RegExp(String.raw`^${shortDay}, (?<day>\d\d) ${month} (?<year>\d{4}) ${time} GMT$`),
  new RegExp(String.raw`^${longDay}, (?<day>\d\d)-${month}-(?<year>\d\d) ${time} GMT$`),
  new RegExp(String.raw`^${shortDay} ${month} (?<day>[ \d]\d) ${time} (?<year>\d{4})$`),
];

/**
 * Milliseconds that a Retry-After header asks for: whole seconds or an HTTP date, at most a day; 0 when the date has passed.
 * A date counts from the response's own `date` header where it has one, so that clocks may differ. Undefined when malformed.
 */
export function parseRetryAfter(
  header: string | null | undefined,
  { nowMs, date }: { nowMs: number; date?: string | null | undefined },
): number | undefined {
  if (typeof header !== "string") return undefined;
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text), maxSeconds) * 1000;
  const due = parseHttpDate(text, nowMs);
  if (due === undefined) return undefined;
  const sent = parseHttpDate((date ?? "").trim(), nowMs) ?? nowMs;
  return Math.min(Math.max(due - sent, 0), maxSeconds * 1000);
}

function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of forms) {
    const found = form.exec(text)?.groups;
    if (found) return toTime(found, nowMs);
  }
  return undefined;
}

function toTime(found: Record<string, string | undefined>, nowMs: number): number | undefined {
  const read = (name: string) => Number(found[name]);
  return toEpochMs({
    year: found["year"]?.length === 2 ? fullYear(read("year"), nowMs) : read("year"),
    month: months.indexOf(found["month"] ?? "") + 1,
    day: read("day"),
    hour: read("hour"),
    minute: read("minute"),
    second: read("second"),
  });
}

/** Two digits mean the latest year with that end that is at most 50 years ahead (RFC 9110). */
function fullYear(twoDigits: number, nowMs: number): number {
  const latest = new Date(nowMs).getUTCFullYear() + 50;
  return latest - ((latest - twoDigits) % 100);
}
