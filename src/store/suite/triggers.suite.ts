import { describe, expect, test } from "vitest";
import type { NewDelivery, NewSubscription, PublishVersion, SubscriptionRecord } from "../store.ts";
import { createSampleRun, defaultWorkspaceId, getRun, noon, sampleId, samplePublish } from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

let lastToken = 0;

function sampleTrigger(changes: Partial<NewSubscription> = {}): NewSubscription {
  lastToken += 1;
  const id = `subscription-${lastToken}`.padEnd(32, "x");
  return { id, kind: "webhook", config: { kind: "webhook" }, userId: "ada", ...changes };
}

/** Promises of `TriggerStore`. */
export function testTriggers(open: OpenStore): void {
  const store = useStore(open);
  const definition = { ...samplePublish().definition, name: "On order" };

  async function publish(trigger: NewSubscription, changes: Partial<PublishVersion> = {}) {
    const workspaceId = await defaultWorkspaceId(store());
    const event = { type: "event_driven" as const, slug: null, inputSchema: null, definition };
    return store().publishVersion(samplePublish({ workspaceId, ...event, trigger, ...changes }));
  }

  async function find(id: string): Promise<SubscriptionRecord> {
    const found = await store().findSubscription(id);
    if (!found) throw new Error(`Subscription ${id} is missing`);
    return found;
  }

  const interval = (seconds: number, id?: string): NewSubscription =>
    sampleTrigger({ kind: "schedule", config: { kind: "schedule", mode: "interval", seconds }, ...(id && { id }) });

  describe("a subscription", () => {
    test("comes with the first version and keeps its id, its pause and its beginning through later ones", async () => {
      const first = sampleTrigger();
      const { workflowId, versionId, version } = await publish(first);
      expect(await find(first.id)).toEqual({
        id: first.id,
        workspaceId: await defaultWorkspaceId(store()),
        workflowId,
        workflowName: "On order",
        kind: "webhook",
        status: "active",
        config: { kind: "webhook" },
        userId: "ada",
        activatedAt: noon,
        changedAt: noon,
        version: { id: versionId, number: version },
      });
      const workspaceId = await defaultWorkspaceId(store());
      await store().setSubscriptionStatus({ workspaceId, id: first.id, status: "paused", at: noon });
      const config = { kind: "webhook", respondMode: "respond_node" };
      const second = await publish(sampleTrigger({ config, userId: "bob" }), { workflowId, at: noon + 1 });
      expect(await find(first.id)).toMatchObject({
        status: "paused",
        config,
        userId: "bob",
        activatedAt: noon,
        changedAt: noon + 1,
        version: { id: second.versionId, number: 2 },
      });
      expect(await store().listSubscriptions(workspaceId)).toHaveLength(1);
    });

    test("is archived while the version has another kind, and comes back with its id", async () => {
      const webhook = sampleTrigger();
      const workspaceId = await defaultWorkspaceId(store());
      const { workflowId } = await publish(webhook);
      const schedule = interval(60);
      await publish(schedule, { workflowId, at: noon + 1 });
      expect(await find(webhook.id)).toMatchObject({ status: "archived" });
      expect(await store().findTrigger(workspaceId, workflowId)).toMatchObject({ id: schedule.id, kind: "schedule" });
      await publish(sampleTrigger(), { workflowId, at: noon + 2 });
      expect(await find(webhook.id)).toMatchObject({ status: "active", activatedAt: noon + 2 });
      expect(await find(schedule.id)).toMatchObject({ status: "archived" });
      expect((await store().listSubscriptions(workspaceId)).map(({ id }) => id)).toEqual([webhook.id]);
    });

    test("of an interval begins anew when its length changes, and only then", async () => {
      const trigger = interval(60);
      const { workflowId } = await publish(trigger);
      await publish(interval(60), { workflowId, at: noon + 1 });
      expect(await find(trigger.id)).toMatchObject({ activatedAt: noon });
      await publish(interval(90), { workflowId, at: noon + 2 });
      expect(await find(trigger.id)).toMatchObject({ activatedAt: noon + 2 });
    });

    test("goes with its workflow and comes back with it", async () => {
      const trigger = sampleTrigger();
      const { workflowId } = await publish(trigger);
      const workspaceId = await defaultWorkspaceId(store());
      await store().deleteWorkflow({ workspaceId, workflowId, at: noon + 1 });
      expect(await find(trigger.id)).toMatchObject({ status: "archived" });
      expect(await store().findTrigger(workspaceId, workflowId)).toBeNull();
      expect(await store().listSubscriptions(workspaceId)).toEqual([]);
      await publish(sampleTrigger(), { workflowId, at: noon + 2 });
      expect(await find(trigger.id)).toMatchObject({ status: "active", activatedAt: noon + 2 });
    });

    test("is paused and resumed in its own workspace, unless it is archived", async () => {
      const trigger = interval(60);
      const { workflowId } = await publish(trigger);
      const workspaceId = await defaultWorkspaceId(store());
      const change = { workspaceId, id: trigger.id, at: noon + 5 };
      expect(await store().setSubscriptionStatus({ ...change, workspaceId: 4711, status: "paused" })).toBe(false);
      expect(await store().setSubscriptionStatus({ ...change, status: "active" })).toBe(true);
      expect(await find(trigger.id)).toMatchObject({ activatedAt: noon });
      expect(await store().setSubscriptionStatus({ ...change, status: "paused" })).toBe(true);
      expect(await find(trigger.id)).toMatchObject({ status: "paused", activatedAt: noon });
      expect(await store().setSubscriptionStatus({ ...change, status: "active" })).toBe(true);
      expect(await find(trigger.id)).toMatchObject({ status: "active", activatedAt: noon + 5 });
      await store().deleteWorkflow({ workspaceId, workflowId, at: noon });
      expect(await store().setSubscriptionStatus({ ...change, status: "active" })).toBe(false);
      expect(await store().findSubscription("unknown")).toBeNull();
    });
  });

  describe("a delivery", () => {
    function delivery(subscriptionId: string, changes: Partial<NewDelivery> = {}): NewDelivery {
      const nothing = { runId: null, reason: null, dedupId: null, redeliveryOf: null, body: null, sealed: null };
      return { id: sampleId(), subscriptionId, at: noon, status: 202, bytes: 0, ...nothing, ...changes };
    }

    test("is noted with the run that it starts, and not when the run is refused", async () => {
      const trigger = sampleTrigger();
      const { workflowId, versionId, version } = await publish(trigger);
      const workspaceId = await defaultWorkspaceId(store());
      const place = { workspaceId, workflowId, versionId, version, actionId: null, actionSlug: null };
      const noted = delivery(trigger.id, { status: null, dedupId: "msg-1" });
      const http = { requestId: noted.id, handlerId: "handler" };
      const run = await createSampleRun(store(), place, { delivery: noted, http, source: "webhook" });
      expect(await getRun(store(), run)).toEqual(run);
      expect(run.http).toEqual(http);
      await expect(createSampleRun(store(), place, { delivery: delivery(trigger.id), maxQueued: 1 })).rejects.toThrow(
        "overloaded",
      );
      const { sealed: _sealed, ...shown } = noted;
      expect(await store().listDeliveries({ workspaceId, limit: 10 })).toEqual([{ ...shown, workspaceId }]);
      await store().saveDeliveries({ added: [], answered: [{ id: noted.id, status: 504, reason: "late" }] });
      expect(await store().findDelivery(workspaceId, noted.id)).toMatchObject({ status: 504, reason: "late" });
    });

    test("is found in its workspace, listed newest first, page by page, and deleted in time", async () => {
      const [one, two] = [sampleTrigger(), sampleTrigger()];
      await publish(one);
      await publish(two, { definition: { ...definition, name: "Another" } });
      const workspaceId = await defaultWorkspaceId(store());
      const sealed = Uint8Array.of(1, 2, 3);
      const added = [
        delivery(one.id, { at: noon, body: "{}", bytes: 2, sealed }),
        delivery(two.id, { at: noon + 1 }),
        delivery(one.id, { at: noon + 2 }),
        delivery("gone", { at: noon + 3 }),
      ];
      await store().saveDeliveries({ added, answered: [] });
      const [first, second, third] = added.map(({ id }) => id);
      const ids = async (filter: { subscriptionId?: string; before?: string; limit?: number } = {}) =>
        (await store().listDeliveries({ workspaceId, limit: 10, ...filter })).map(({ id }) => id);
      expect(await ids()).toEqual([third, second, first]);
      expect(await ids({ subscriptionId: one.id })).toEqual([third, first]);
      expect(await ids({ limit: 1, ...(third && { before: third }) })).toEqual([second]);
      expect(await store().listDeliveries({ workspaceId: 4711, limit: 10 })).toEqual([]);
      expect(await store().findDelivery(4711, first ?? "")).toBeNull();
      const found = await store().findDelivery(workspaceId, first ?? "");
      expect(found).toMatchObject({ body: "{}", bytes: 2, subscriptionId: one.id });
      expect([...(found?.sealed ?? [])]).toEqual([1, 2, 3]);
      expect(await store().deleteDeliveries(noon + 2, 1)).toBe(1);
      expect(await store().deleteDeliveries(noon + 2, 10)).toBe(1);
      expect(await ids()).toEqual([third]);
    });
  });
}
