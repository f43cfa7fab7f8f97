import * as z from "zod";
import { approval } from "./approval.ts";
import { type Iteration, iteration } from "./iteration.ts";
import { jsonObject, jsonValue } from "./json.ts";
import { runSources, runStatuses } from "./run-words.ts";

export { runSources, runStatuses };

export const runStatus = z.enum(runStatuses);
export type RunStatus = z.infer<typeof runStatus>;

/** A terminal run never changes again (contract 5). */
export function isTerminal(status: RunStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "cancelled" || status === "timed_out";
}

/** A paused run goes on only when time passes or somebody decides. */
export function isPaused(status: RunStatus): boolean {
  return status === "waiting" || status === "waiting_for_approval";
}

export const runSource = z.enum(runSources);
export type RunSource = z.infer<typeof runSource>;

/** Why a run or a step failed (spec 2.8, contract 5). */
export const runError = z.object({
  code: z.string(),
  message: z.string(),
  step_id: z.string().optional(),
  retryable: z.boolean().optional(),
  retryAfterMs: z.number().optional(),
  details: jsonObject.optional(),
});
export type RunError = z.infer<typeof runError>;

const stepStatuses = [
  "running",
  "completed",
  "failed",
  "failed_continued",
  "skipped",
  "timed_out",
  "pending_approval",
  "waiting",
] as const;
export const stepStatus = z.enum(stepStatuses);
export type StepStatus = z.infer<typeof stepStatus>;

export { iteration, type Iteration };

const timestamp = z.iso.datetime();

/** One row of a run's timeline, made from its journal (contract 6). */
export const step = z.object({
  step_id: z.string(),
  iteration,
  type: z.string(),
  name: z.string().nullable(),
  status: stepStatus,
  attempt: z.int(),
  input: jsonValue.nullable(),
  output: jsonValue.nullable(),
  error: runError.nullable(),
  started_at: timestamp.nullable(),
  completed_at: timestamp.nullable(),
  duration_ms: z.number().nullable(),
});
export type Step = z.infer<typeof step>;

/** The run as creation returns it (spec 2.5). */
export const run = z.object({
  run_id: z.uuid(),
  action_slug: z.string().nullable(),
  action_release_version: z.int(),
  source: runSource,
  status: runStatus,
  input: jsonValue,
  output: jsonValue.nullable(),
  error: runError.nullable(),
  steps: z.array(step),
  approval: approval.nullable(),
  dry_run: z.boolean(),
  started_at: timestamp.nullable(),
  completed_at: timestamp.nullable(),
  duration_ms: z.number().nullable(),
  created_at: timestamp,
});
export type Run = z.infer<typeof run>;

/** The run as reading one returns it (contract 6). */
export const runDetail = run.extend({
  workflow_id: z.uuid(),
  workflow_version_id: z.uuid(),
  resume_from_run_id: z.uuid().nullable(),
  incident_id: z.string().nullable(),
  /** The run whose step started it and waits for it; the runs that its own steps started, each by its step (contract 13). */
  parent_run_id: z.uuid().nullable(),
  child_runs: z.array(z.object({ run_id: z.uuid(), step: z.string(), status: runStatus })),
  steps_total: z.int(),
  /** The webhook request that started it, and who waited for its answer in respond-node mode (contract 11). */
  http_request_id: z.string().nullable(),
  synchronous_handler_id: z.string().nullable(),
});
export type RunDetail = z.infer<typeof runDetail>;

export const runRow = run.pick({
  run_id: true,
  action_slug: true,
  source: true,
  status: true,
  duration_ms: true,
  created_at: true,
});
export type RunRow = z.infer<typeof runRow>;

export const runList = z.object({ runs: z.array(runRow), total: z.int(), limit: z.int(), offset: z.int() });
export type RunList = z.infer<typeof runList>;
