import type { SubscriptionRecord } from "../../store/store.ts";
import { armSchedule } from "../schedule/pass-schedule.ts";
import type { Services } from "../services.ts";

/** So long whoever publishes waits for the first poll, after which events count. */
const patienceMs = 3_000;

/**
 * Sets when a workflow's trigger fires or is polled next; called after everything that changes what it listens to. A
 * connector's trigger is polled at once: what happens from then on starts runs.
 */
export async function armTrigger(services: Services, workspaceId: number, workflowId: string): Promise<void> {
  await armSchedule(services, workspaceId, workflowId);
  const subscription = await services.store.findTrigger(workspaceId, workflowId);
  if (subscription?.kind === "connector") await pollSoon(services, subscription);
}

/** At start: a trigger that listens and was never polled is polled at once. The others' moments are there. */
export async function openPolls({ store, world }: Services): Promise<void> {
  const armed = new Set((await store.listMoments("poll")).map(({ owner }) => owner));
  const at = world.now().getTime();
  for (const { id } of await store.listConnectorTriggers()) {
    if (!armed.has(id)) await store.setMoment({ kind: "poll", owner: id, at });
  }
}

/** The clock was set back: no poll waits for a time that is far away now. One more poll does no harm. */
export async function rearmPolls({ store, world, wakeAt }: Services): Promise<void> {
  const at = world.now().getTime();
  for (const { owner } of await store.listMoments("poll")) await store.setMoment({ kind: "poll", owner, at });
  wakeAt(at);
}

/** A connection has new credentials or settings: triggers that listen through it are polled at once. */
export async function pollThrough(
  services: Services,
  workspaceId: number,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const all = await services.store.listSubscriptions(workspaceId);
  const through = all.filter(({ config: { connectionId } }) => connectionId === id || connectionId === name);
  for (const subscription of through) {
    if (subscription.kind === "connector") void pollSoon(services, subscription).catch(() => undefined);
  }
}

async function pollSoon({ store, world, polls }: Services, { id, status }: SubscriptionRecord): Promise<void> {
  const at = status === "active" ? world.now().getTime() : null;
  await store.setMoment({ kind: "poll", owner: id, at });
  if (at === null) return;
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = world.after(patienceMs, resolve);
  await Promise.race([polls.pollNow(id), late]);
  cancel();
}
