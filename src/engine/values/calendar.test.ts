import fc from "fast-check";
import { expect, it } from "vitest";
import { toEpochMs, type CalendarTime } from "./calendar.ts";

const times: [time: CalendarTime, iso: string][] = [
  [{ year: 1970, month: 1, day: 1 }, "1970-01-01T00:00:00.000Z"],
  [{ year: 2024, month: 2, day: 29, hour: 23, minute: 59, second: 59, ms: 999 }, "2024-02-29T23:59:59.999Z"],
  [{ year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60 }, "2017-01-01T00:00:00.000Z"],
  [{ year: 99, month: 1, day: 1 }, "0099-01-01T00:00:00.000Z"],
];

it.each(times)("%j is %s", (time, iso) => {
  expect(toEpochMs(time)).toBe(Date.parse(iso));
});

const impossible: CalendarTime[] = [
  { year: 2023, month: 2, day: 29 },
  { year: 2024, month: 4, day: 31 },
  { year: 2024, month: 0, day: 1 },
  { year: 2024, month: 13, day: 1 },
  { year: 2024, month: 1, day: 0 },
  { year: 2024, month: 1, day: 1, hour: 24 },
  { year: 2024, month: 1, day: 1, minute: 60 },
  { year: 2024, month: 1, day: 1, second: 61 },
];

it.each(impossible)("%j does not exist", (time) => {
  expect(toEpochMs(time)).toBeUndefined();
});

it("every date of the years 0 to 9999 is itself again", () => {
  const dates = fc.date({
    min: new Date("0000-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(dates, (date) => {
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
      const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
      const time = { year, month, day, hour, minute, second, ms: date.getUTCMilliseconds() };
      expect(toEpochMs(time)).toBe(date.getTime());
    }),
  );
});
