export type CalendarTime = {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  /** 60 is a leap second: the next minute begins. */
  second?: number;
  ms?: number;
};

/** Epoch ms of a time in UTC; undefined when the calendar has no such day or the day no such time. */
export function toEpochMs({
  year,
  month,
  day,
  hour = 0,
  minute = 0,
  second = 0,
  ms = 0,
}: CalendarTime): number | undefined {
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const midnight = new Date(0);
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + ms;
}
