import { createHash } from "node:crypto";
import type { EventBatch, EventsTaken, SubscriptionRecord } from "../../store/store.ts";
import type { ConnectorEvent } from "../connector.ts";
import { completeRun } from "../create-run.ts";
import { gateRun } from "../policy-gate.ts";
import type { Services } from "../services.ts";
import { limitError, newRun } from "../start-triggered-run.ts";

type Told = Pick<EventBatch, "poll"> & {
  subscription: SubscriptionRecord;
  /** In the order in which they happened. */
  events: readonly ConnectorEvent[];
  /** They happened before the trigger began: they are remembered, and start nothing. */
  arePast?: boolean;
};

/**
 * Starts a run of the deployed version for each event that was not told before, all in one transaction, which also holds
 * where a poll stands: a crash neither loses nor repeats an event. Over the hourly cap or the monthly quota a run is
 * stored `failed` without steps, as for every trigger (contract 12).
 */
export async function takeEvents(
  services: Services,
  { subscription, events, arePast = false, ...rest }: Told,
): Promise<EventsTaken> {
  const { version } = subscription;
  if (!version) return { kind: "stale" };
  const { approvalPolicy } = await services.versions.load(version.id);
  // Of one event told twice at once the first counts.
  const distinct = [...new Map(events.toReversed().map((event) => [event.id, event])).values()].toReversed();
  const taken = await services.store.takeEvents({
    ...rest,
    subscriptionId: subscription.id,
    at: services.world.now().getTime(),
    events: distinct.map(({ id, output }) => {
      const digest = digestEvent(id);
      if (arePast) return { digest, run: null };
      const run = newRun(services, { subscription, source: "webhook", output }, version);
      return { digest, run: completeRun(services, gateRun(services, run, { approvalPolicy })) };
    }),
    limitErrors: {
      hourly_cap: limitError(services, "hourly_cap"),
      monthly_quota: limitError(services, "monthly_quota"),
    },
  });
  if (taken.kind === "stale") return taken;
  for (const event of taken.events) {
    if (event.kind === "started" && event.run.status === "accepted") services.wake(event.run);
  }
  return taken;
}

/** Ids of services may be long, and nobody needs to read them again. */
function digestEvent(id: string): Uint8Array {
  return createHash("sha256").update(id).digest();
}
