import * as z from "zod";
import { jsonValue } from "./json.ts";
import { iteration, runError } from "./run.ts";

/** The seven event types of spec 6 and the Wait node's own. */
const eventTypes = [
  "step_started",
  "step_completed",
  "step_failed",
  "step_failed_continued",
  "step_skipped",
  "step_timed_out",
  "step_pending_approval",
  "step_waiting",
] as const;
export const eventType = z.enum(eventTypes);
export type EventType = z.infer<typeof eventType>;

/** One line of a run's journal as callers read it (contract 6). `seq` counts from 1 within its run. */
export const journalEvent = z.object({
  seq: z.int(),
  run_id: z.uuid(),
  type: eventType,
  step_id: z.string(),
  iteration,
  attempt: z.int(),
  inputData: jsonValue.optional(),
  outputData: jsonValue.optional(),
  durationMs: z.number().optional(),
  error: runError.optional(),
  /** Taken over from the run that this one replays, and not run again (contract 8). */
  copied: z.literal(true).optional(),
  created_at: z.iso.datetime(),
});
export type JournalEvent = z.infer<typeof journalEvent>;

export const eventPage = z.object({ events: z.array(journalEvent), next_after: z.int() });
export type EventPage = z.infer<typeof eventPage>;
