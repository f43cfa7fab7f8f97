import type { DueRecord } from "../store/store.ts";
import { expireApproval } from "./decide-approval.ts";
import type { Services } from "./services.ts";

/** What a moment does when it has come: a request expires, everything else has its run go on. */
export async function passMoment(services: Services, { kind, owner, runId, workspaceId }: DueRecord): Promise<void> {
  if (kind === "approval") await expireApproval(services, workspaceId, owner);
  else services.resume({ id: runId, workspaceId });
}
