import type { DueRecord } from "../store/store.ts";
import { expireApproval } from "./decide-approval.ts";
import { startFailureAction } from "./start-failure-action.ts";
import type { Services } from "./services.ts";

/** What a moment does when it has come: a request expires, a failure starts its action, a run goes on. */
export async function passMoment(services: Services, moment: DueRecord): Promise<void> {
  const { kind, owner, runId, workspaceId } = moment;
  switch (kind) {
    case "approval":
      return expireApproval(services, workspaceId, owner);
    case "on_failure":
      return startFailureAction(services, moment);
    case "wait":
    case "retry":
      return services.resume({ id: runId, workspaceId });
  }
}
