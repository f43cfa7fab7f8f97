/** The words of a run, apart from the schemas of run.ts: a command that needs these alone loads no zod. */

export const runStatuses = [
  "accepted",
  "running",
  "waiting",
  "waiting_for_approval",
  "succeeded",
  "failed",
  "cancelled",
  "timed_out",
] as const;

export const runSources = ["action", "webhook", "schedule", "manual", "replay", "test", "dry_run"] as const;
