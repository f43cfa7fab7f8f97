import type { DueRecord, FreeMoment } from "../store/store.ts";
import { endChildren, tellParent } from "./child-runs.ts";
import { expireApproval } from "./decide-approval.ts";
import { startFailureAction } from "./start-failure-action.ts";
import { passSchedule } from "./schedule/pass-schedule.ts";
import type { Services } from "./services.ts";

/** Carries out moments that are none of a run's: of notices and of the upkeep. */
export type PassOther = (moment: FreeMoment) => Promise<void>;

/** What a moment does when it has come: a request expires, a failure starts its action, a run goes on, a schedule fires. */
export async function passMoment(
  services: Services,
  moment: DueRecord | FreeMoment,
  passOther: PassOther,
): Promise<void> {
  switch (moment.kind) {
    case "approval":
      return expireApproval(services, moment.workspaceId, moment.owner);
    case "on_failure":
      return startFailureAction(services, moment);
    case "wait":
    case "retry":
      return services.resume({ id: moment.runId, workspaceId: moment.workspaceId });
    case "child_ended":
      return tellParent(services, moment);
    case "end_children":
      return endChildren(services, moment);
    case "schedule":
      return passSchedule(services, moment);
    case "poll":
      return services.polls.pass(moment);
    case "notice":
    case "upkeep":
      return passOther(moment);
  }
}
