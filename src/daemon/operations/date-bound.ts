import { z } from "zod";

const dayMs = 86_400_000;
const isDate = z.iso.date();
const isDateTime = z.iso.datetime({ offset: true, local: true });

/** A point or a day in time as a filter takes it: an ISO-8601 date, or date and time (contract 6). */
export const dateBound = z
  .string()
  // An unescaped + in a query arrives as a space.
  .transform((text) => text.replace(/ (?=\d\d:\d\d$)/, "+"))
  .refine((text) => isDate.safeParse(text).success || isDateTime.safeParse(text).success, {
    error: "must be an ISO-8601 date or date and time",
  });

/** The first and the last millisecond that a bound covers. A time without zone is in UTC. */
export function readBound(text: string): { from: number; to: number } {
  if (isDate.safeParse(text).success) {
    const from = Date.parse(text);
    return { from, to: from + dayMs - 1 };
  }
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const at = Date.parse(hasZone ? text : `${text}Z`);
  return { from: at, to: at };
}
