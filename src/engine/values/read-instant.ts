import { toEpochMs } from "./calendar.ts";

const time = String.raw`(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?`;
const zone = String.raw`(?:Z|(?<sign>[+-])(?<zoneHour>\d\d)(?::?(?<zoneMinute>\d\d))?)`;
const day = String.raw`(?<day>\d\d)(?:[T ]${time}${zone}?)?`;
const iso = new RegExp(String.raw`^(?<year>\d{4})(?:-(?<month>\d\d)(?:-${day})?)?$`, "i");
const epoch = /^-?\d{11,16}$/;

/** The latest time that a Date can hold, in ms before or after 1970. */
const maxEpochMs = 8.64e15;

/**
 * Epoch ms of an ISO-8601 date or date-time, or of epoch ms (a number, or 11 digits and more as text: fewer would be a
 * year, a compact date or epoch seconds). Without an offset a time is UTC, whatever the zone of this machine. Else undefined.
 */
export function readInstant(value: unknown): number | undefined {
  if (typeof value === "number") return Math.abs(value) <= maxEpochMs ? value : undefined;
  if (typeof value !== "string" || value.length > 64) return undefined;
  const text = value.trim();
  if (epoch.test(text)) return readInstant(Number(text));
  const found = iso.exec(text)?.groups;
  return found && toInstant(found);
}

type Groups = Record<string, string | undefined>;

function toInstant(found: Groups): number | undefined {
  const local = toEpochMs({
    year: Number(found["year"]),
    month: Number(found["month"] ?? 1),
    day: Number(found["day"] ?? 1),
    hour: Number(found["hour"] ?? 0),
    minute: Number(found["minute"] ?? 0),
    second: Number(found["second"] ?? 0),
    ms: Number((found["fraction"] ?? "").padEnd(3, "0").slice(0, 3)),
  });
  const offset = readOffset(found);
  return local === undefined || offset === undefined ? undefined : local - offset;
}

function readOffset(found: Groups): number | undefined {
  const hours = Number(found["zoneHour"] ?? 0);
  const minutes = Number(found["zoneMinute"] ?? 0);
  if (hours > 23 || minutes > 59) return undefined;
  return (hours * 60 + minutes) * (found["sign"] === "-" ? -60_000 : 60_000);
}
