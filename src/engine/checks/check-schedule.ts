import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import type { Limits } from "../../contract/limits.ts";
import { errorAt } from "../definition/issue.ts";
import { nodePlace } from "./checked-graph.ts";

/** Refuses an interval that is shorter than this machine allows (spec 2.11, `limits.scheduleMinSeconds`). */
export function checkSchedule(
  { nodes }: Pick<WorkflowDefinition, "nodes">,
  { scheduleMinSeconds: least }: Pick<Limits, "scheduleMinSeconds">,
): Issue[] {
  return nodes.flatMap(({ id, type, data }, index) => {
    const { kind, mode, seconds } = data;
    const isInterval = type === "trigger" && kind === "schedule" && mode === "interval";
    if (!isInterval || typeof seconds !== "number" || seconds >= least) return [];
    const message = `seconds must be at least ${least}: a schedule fires no more often (limits.scheduleMinSeconds)`;
    return [errorAt(nodePlace({ id, index }, "/data/seconds"), "schedule_too_often", message)];
  });
}
