import { ApiError } from "../../contract/errors.ts";
import type { SchedulePreview } from "../../contract/schedule.ts";
import type { SubscriptionRecord } from "../../store/store.ts";
import { nextFirings, readSchedule } from "./schedule.ts";

/** When a schedule fires next, whether it is paused or not. Throws BAD_REQUEST for a trigger that is no schedule. */
export function previewSchedule(
  { kind, config, activatedAt, workflowName }: SubscriptionRecord,
  now: number,
  count: number,
): SchedulePreview {
  if (kind !== "schedule") {
    throw new ApiError(
      "BAD_REQUEST",
      `The trigger of ${workflowName} is a ${kind}, and only a schedule has firings to preview`,
    );
  }
  const schedule = readSchedule(config, activatedAt);
  const { expression, timezone } = schedule;
  return { expression, timezone, next: nextFirings(schedule, now, count).map((at) => new Date(at).toISOString()) };
}
