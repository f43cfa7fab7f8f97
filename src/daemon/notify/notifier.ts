import type { Services } from "../../engine/services.ts";
import type {
  ApprovalRecord,
  ConnectionRecord,
  FreeMoment,
  Notice,
  NoticeRecord,
  RunRecord,
  Store,
} from "../../store/store.ts";
import type { Log } from "../log.ts";
import type { Channel, Notification } from "./channels.ts";

export type NotifierParts = {
  services: Pick<Services, "store" | "world" | "wakeAt">;
  channels: readonly Channel[];
  log: Log;
  /** Where a request can be decided; null when there are no links. */
  linkOf(workspaceId: number, approvalId: string): string | null;
};

export type Notifier = {
  /** The moment of a notice has come: it is told, unless that is under way. Returns at once: a channel may take long. */
  tell(moment: FreeMoment): void;
  stop(): void;
};

const firstRetryMs = 10_000;
const longestRetryMs = 15 * 60_000;
/** What could not be told for so long is left. */
const patienceMs = 6 * 3_600_000;

/**
 * Tells people of requests, expiries, incidents and pauses (contract 5, 7). A notice was written with what it tells, and
 * stays until each channel has it: it is told at least once, under the same id, whatever crashes. What can't be told for
 * six hours is logged and left: the list of requests has it all the same.
 */
export function createNotifier(parts: NotifierParts): Notifier {
  const { log } = parts;
  const underWay = new Set<string>();
  let isStopped = false;
  return {
    tell({ owner: uuid }) {
      if (underWay.has(uuid) || isStopped) return;
      underWay.add(uuid);
      tellChannels(parts, uuid)
        .catch((err: unknown) => {
          if (!isStopped) log.warn({ err, notice: uuid }, "A notification could not be made; it is tried again");
        })
        .finally(() => underWay.delete(uuid));
    },
    stop() {
      isStopped = true;
    },
  };
}

async function tellChannels(parts: NotifierParts, uuid: string): Promise<void> {
  const { services, channels } = parts;
  const { store, wakeAt } = services;
  const notice = await store.findNotice(uuid);
  const notification = notice && (await describe(parts, notice));
  // Nobody wants to hear of a request that has been decided.
  if (!notice || !notification) return store.updateNotice({ uuid, told: [], retryAt: null });
  const left = channels.filter(({ name }) => !notice.told.includes(name));
  const told = await Promise.all(left.map(async (channel) => send(parts, channel, notification, notice)));
  const retryAt = told.includes(null) ? findRetry(parts, notice) : null;
  await store.updateNotice({ uuid, told: [...notice.told, ...told.filter((name) => name !== null)], retryAt });
  if (retryAt !== null) wakeAt(retryAt);
}

/** The channel's name when it has the notification. */
async function send(
  { log }: NotifierParts,
  channel: Channel,
  notification: Notification,
  { event, runId, tries }: NoticeRecord,
): Promise<string | null> {
  try {
    await channel.send(notification);
    return channel.name;
  } catch (err) {
    log.warn({ err, channel: channel.name, event, runId, tries: tries + 1 }, "A notification was not delivered");
    return null;
  }
}

function findRetry({ services, log }: NotifierParts, { createdAt, tries, event, runId }: NoticeRecord): number | null {
  const now = services.world.now().getTime();
  const retryAt = now + Math.min(longestRetryMs, firstRetryMs * 2 ** tries);
  if (retryAt <= createdAt + patienceMs) return retryAt;
  log.error({ event, runId, tries: tries + 1 }, "A notification was given up: it could not be delivered for six hours");
  return null;
}

/** What a notice says now; null when it has become idle. */
async function describe(
  { services, linkOf }: NotifierParts,
  { event, id, uuid, runId, workspaceId, createdAt }: NoticeRecord,
): Promise<Notification | null> {
  const { store } = services;
  const run = await store.findRun(workspaceId, runId);
  const approval = await store.findApproval(workspaceId, id);
  const connection = event === "connection.needs_auth" ? await findConnection(store, workspaceId, id) : null;
  if (isIdle(event, approval, connection)) return null;
  const link = event === "approval.requested" ? linkOf(workspaceId, id) : null;
  return {
    id: uuid,
    event,
    message: messages[event](connection?.name ?? (await nameOf(store, run)), approval),
    run_id: runId === "" ? null : runId,
    action_slug: run?.actionSlug ?? null,
    created_at: new Date(createdAt).toISOString(),
    ...describeSubject(event, id, { approval, connection, run }),
    ...(link !== null && { link }),
  };
}

/** Somebody has seen to it meanwhile. */
function isIdle(event: Notice["event"], approval: ApprovalRecord | null, connection: ConnectionRecord | null): boolean {
  if (event === "approval.requested") return approval?.status !== "pending";
  return event === "connection.needs_auth" && connection?.status !== "needs_auth";
}

async function findConnection(store: Pick<Store, "listConnections">, workspaceId: number, id: string) {
  return (await store.listConnections(workspaceId)).find((connection) => connection.id === id) ?? null;
}

/** The action's slug, or the name of an event-driven workflow. */
async function nameOf(store: Pick<Store, "findWorkflow">, run: RunRecord | null): Promise<string> {
  if (run?.actionSlug) return run.actionSlug;
  const workflow = run && (await store.findWorkflow(run.workspaceId, { id: run.workflowId }));
  return workflow?.name ?? "a workflow";
}

type Subject = { approval: ApprovalRecord | null; connection: ConnectionRecord | null; run: RunRecord | null };

/** What a notice is about. */
function describeSubject(event: Notice["event"], id: string, { approval, connection, run }: Subject) {
  if (approval) return describeApproval(approval);
  if (connection) return { connection_id: id, connector: connection.connector };
  return event === "incident.opened" ? { incident_id: id, error: run?.error ?? null } : {};
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
  "connection.needs_auth": (what) => `The credentials of the connection ${what} are refused: give new ones`,
  "workflow.paused": (what) => `${what} was paused: too many of its runs failed in a row`,
};
