import { ApiError } from "../../contract/errors.ts";
import type { FreeMoment, SubscriptionRecord } from "../../store/store.ts";
import type { Services } from "../services.ts";
import { FiringRefused, startTriggeredRun } from "../start-triggered-run.ts";
import { type Schedule, firingNow, readSchedule } from "./schedule.ts";

/**
 * Sets when the schedule of a workflow fires next; called after everything that changes what it listens to. A workflow
 * without a schedule needs nothing: a moment that is there already goes away when it comes.
 */
export async function armSchedule(services: Services, workspaceId: number, workflowId: string): Promise<void> {
  const subscription = await services.store.findTrigger(workspaceId, workflowId);
  if (subscription) await arm(services, subscription);
}

/** When a subscription fires next; null when it does not, or is no schedule. */
export function nextFireAt(subscription: SubscriptionRecord, now: number): number | null {
  return scheduleOf(subscription)?.next(now) ?? null;
}

/**
 * At start: of what was due while nobody was there at most one firing of each schedule is made up, and every schedule
 * has its next moment.
 */
export async function openSchedules(services: Services): Promise<void> {
  const { store, world } = services;
  const moments = new Map((await store.listMoments("schedule")).map(({ owner, at }) => [owner, at]));
  for (const subscription of await store.listSchedules()) {
    const due = moments.get(subscription.id);
    try {
      if (due !== undefined && due <= world.now().getTime()) await fire(services, subscription, due, true);
    } catch (error) {
      // Of what can't be started now the moment hears again; a start must not fail for it.
      if (!(error instanceof ApiError)) throw error;
      continue;
    }
    await arm(services, subscription);
  }
}

/** The clock was set back: what was to come later than it now has to, comes when it should. */
export async function rearmSchedules(services: Services): Promise<void> {
  const moments = new Map((await services.store.listMoments("schedule")).map(({ owner, at }) => [owner, at]));
  for (const subscription of await services.store.listSchedules()) {
    if ((moments.get(subscription.id) ?? Infinity) > services.world.now().getTime()) await arm(services, subscription);
  }
}

/** The moment of a schedule has come: its run starts, once however many daemons see it, and the next moment is set. */
export async function passSchedule(services: Services, { owner, at }: FreeMoment): Promise<void> {
  const subscription = await services.store.findSubscription(owner);
  if (subscription) await fire(services, subscription, at, false);
  if (subscription) await arm(services, subscription);
  else await services.store.setMoment({ kind: "schedule", owner, at: null });
}

async function fire(
  services: Services,
  subscription: SubscriptionRecord,
  due: number,
  wasDown: boolean,
): Promise<void> {
  const schedule = scheduleOf(subscription);
  const at = schedule && firingNow(schedule, due, services.world.now().getTime(), wasDown);
  if (!schedule || at === null || !services.firesSchedules) return;
  const output = {
    timestamp: new Date(at).toISOString(),
    scheduleType: schedule.type,
    expression: schedule.expression,
  };
  const slot = { subscriptionId: subscription.id, at, skipsOverlap: schedule.skipsOverlap };
  try {
    await startTriggeredRun(services, { subscription, source: "schedule", output, slot });
  } catch (error) {
    // Of others, such as that too many runs wait, the moment hears again within a minute.
    if (!(error instanceof FiringRefused)) throw error;
  }
}

async function arm({ store, world, wakeAt }: Services, subscription: SubscriptionRecord): Promise<void> {
  const at = nextFireAt(subscription, world.now().getTime());
  await store.setMoment({ kind: "schedule", owner: subscription.id, at });
  if (at !== null) wakeAt(at);
}

/** The schedule of a subscription that listens. */
function scheduleOf({ kind, status, config, activatedAt, version }: SubscriptionRecord): Schedule | null {
  if (kind !== "schedule" || status !== "active" || !version) return null;
  return readSchedule(config, activatedAt);
}
