import type { Approval } from "../../contract/approval.ts";
import type { RunDetail } from "../../contract/run.ts";
import { presentApproval } from "../../engine/presentation/present-approval.ts";
import { presentDetail } from "../../engine/presentation/present-run.ts";
import type { Services } from "../../engine/services.ts";
import type { RunRecord } from "../../store/store.ts";
import { readTimeline } from "./read-timeline.ts";
import { shownSteps } from "./shown-steps.ts";

/** A run as reading it returns it: its steps, the last `keep` of them, and its latest request for approval. */
export async function readDetail(services: Services, run: RunRecord, keep: number = shownSteps): Promise<RunDetail> {
  const timeline = await readTimeline(services, run, keep);
  const [approval, parent, children] = await Promise.all([
    readApproval(services, run),
    services.store.findParent(run.id),
    services.store.listChildren(run.id),
  ]);
  return presentDetail(run, timeline, approval, { parent, children });
}

/** A run's latest request, whatever became of it; null when there was none (contract 7). */
export async function readApproval({ store }: Services, run: RunRecord): Promise<Approval | null> {
  const [latest] = await store.listRunApprovals(run.id);
  return latest ? presentApproval(latest) : null;
}
