import * as z from "zod";
import { runRow } from "./run.ts";

/** What the terminal UI reads of all runs over the control channel (contract 10). */

const timestamp = z.iso.datetime();

export const watchedRun = runRow.extend({
  version: z.int().describe("The version that runs"),
  dry_run: z.boolean(),
  started_at: timestamp.nullable(),
  error_code: z.string().nullable(),
  steps_done: z.int().nullable().describe("Nodes outside loops' bodies that are over; null: the journal is too long"),
  steps_total: z.int().describe("Nodes outside loops' bodies that become steps"),
  resume_at: timestamp.nullable().describe("When a wait or a retry goes on next"),
  approval_expires_at: timestamp.nullable().describe("Until when its pending request can be decided"),
});
export type WatchedRun = z.infer<typeof watchedRun>;

/**
 * A page of runs and where to go on watching: changes after `change` of the daemon `instance_id` are not in it. Change
 * numbers count from the daemon's start.
 */
export const watchedRunList = z.object({
  runs: z.array(watchedRun),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  instance_id: z.string(),
  change: z.int(),
});
export type WatchedRunList = z.infer<typeof watchedRunList>;
