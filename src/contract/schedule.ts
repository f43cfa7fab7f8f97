import * as z from "zod";

/** When a schedule fires next (contract 12, 18). */
export const schedulePreview = z.object({
  /** The cron expression, or `every <N>s`. */
  expression: z.string(),
  /** IANA name; `UTC` for an interval, which no zone concerns. */
  timezone: z.string(),
  next: z.array(z.string()),
});

export type SchedulePreview = z.infer<typeof schedulePreview>;

/** How many firings a preview may show. */
export const maxPreview = 1000;
