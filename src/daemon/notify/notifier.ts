import type { Services } from "../../engine/services.ts";
import type { ApprovalRecord, Notice, RunChange } from "../../store/store.ts";
import type { Log } from "../log.ts";
import type { Channel, Notification } from "./channels.ts";

export type NotifierParts = {
  services: Pick<Services, "store" | "world">;
  channels: readonly Channel[];
  log: Log;
  /** Where a request can be decided; null when there are no links. */
  linkOf(workspaceId: number, approvalId: string): string | null;
};

/**
 * Tells people of requests, expiries, incidents and pauses once they are durable (contract 5, 7). What can't be told is
 * logged: the list of requests has it all the same. Returns the function that ends it.
 */
export function startNotifier(parts: NotifierParts): () => void {
  const { services, channels, log } = parts;
  if (channels.length === 0) return () => undefined;

  async function tell(change: RunChange, notice: Notice): Promise<void> {
    const notification = await describe(parts, change, notice);
    for (const channel of channels) {
      channel.send(notification).catch((err: unknown) => {
        log.warn(
          { err, channel: channel.name, event: notice.event, runId: change.runId },
          "A notification was not delivered",
        );
      });
    }
  }

  return services.store.watchRuns(null, (change) => {
    for (const notice of change.notices ?? []) {
      tell(change, notice).catch((err: unknown) =>
        log.warn({ err, runId: change.runId }, "A notification could not be made"),
      );
    }
  });
}

async function describe(
  { services, linkOf }: NotifierParts,
  { runId, workspaceId }: RunChange,
  { event, id }: Notice,
): Promise<Notification> {
  const { store, world } = services;
  const run = await store.findRun(workspaceId, runId);
  const approval = await store.findApproval(workspaceId, id);
  const link = event === "approval.requested" ? linkOf(workspaceId, id) : null;
  const slug = run?.actionSlug ?? null;
  return {
    id: world.newId(),
    event,
    message: messages[event](slug ?? "a workflow", approval),
    run_id: runId,
    action_slug: slug,
    created_at: world.now().toISOString(),
    ...(approval && describeApproval(approval)),
    ...(event === "incident.opened" && { incident_id: id, error: run?.error ?? null }),
    ...(link !== null && { link }),
  };
}

function describeApproval({ id, stepId, description, inputs, expiresAt }: ApprovalRecord) {
  const expires_at = new Date(expiresAt).toISOString();
  return { approval_id: id, step_id: stepId, description, inputs, expires_at };
}

type Message = (what: string, approval: ApprovalRecord | null) => string;

const messages: Record<Notice["event"], Message> = {
  "approval.requested": (what, approval) => {
    const step = approval?.stepId ? ` of its step ${approval.stepId}` : "";
    return `${what} waits for approval${step}${approval?.description ? `: ${approval.description}` : ""}`;
  },
  "approval.expired": (what) => `The approval request of ${what} expired without a decision and was auto-rejected`,
  "incident.opened": (what) => `A run of ${what} failed, and an incident was opened`,
  "workflow.paused": (what) => `${what} was paused: too many of its runs failed in a row`,
};
