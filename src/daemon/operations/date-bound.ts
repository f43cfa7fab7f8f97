import * as z from "zod";
import { readInstant } from "../../engine/values/read-instant.ts";

const dayMs = 86_400_000;
const day = /^\d{4}-\d\d-\d\d$/;

/**
 * A filter's bound in time, read into the first and the last millisecond that it covers: an ISO-8601 date, which is a
 * whole day in UTC, or a date and time, in UTC where it names no zone (contract 6).
 */
export const dateBound = z.string().transform((text, context) => {
  // An unescaped + in a query arrives as a space.
  const restored = text.replace(/ (?=\d\d:?\d\d$)/, "+");
  const from = /^\d{4}-\d\d-\d\d/.test(restored) ? readInstant(restored) : undefined;
  if (from !== undefined) return { from, to: day.test(restored) ? from + dayMs - 1 : from };
  context.addIssue({ code: "custom", message: "must be an ISO-8601 date or date and time", input: text });
  return z.NEVER;
});
