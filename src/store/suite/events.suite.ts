import { describe, expect, test } from "vitest";
import type { EventBatch, EventsTaken, NewRun, Store } from "../store.ts";
import { type RunPlace, defaultWorkspaceId, hourMs, noon, samplePublish, sampleRun } from "./samples.ts";
import { type OpenStore, useStore } from "./use-store.ts";

const subscriptionId = "trigger-of-events";
const config = { kind: "connector", connector: "desk", event: "new" };
const limitErrors = {
  hourly_cap: { code: "RATE_LIMITED", message: "too many" },
  monthly_quota: { code: "RATE_LIMITED", message: "too many this month" },
} as const;

async function publish(store: Store, kind: "connector" | "webhook" = "connector", workflowId: string | null = null) {
  const workspaceId = await defaultWorkspaceId(store);
  const published = await store.publishVersion(
    samplePublish({
      workspaceId,
      workflowId,
      slug: null,
      type: "event_driven",
      definition: { name: "desk", approval_policy: "never", nodes: [], edges: [] },
      trigger: { id: kind === "connector" ? subscriptionId : "hook", kind, config: { ...config, kind }, userId: "ada" },
    }),
  );
  return { place: { workspaceId, ...published, actionId: null, actionSlug: null }, workflowId: published.workflowId };
}

function eventOf(place: RunPlace, name: string, changes: Partial<NewRun> = {}) {
  return { digest: new TextEncoder().encode(name), run: sampleRun(place, { source: "webhook", ...changes }) };
}

function batchOf(events: EventBatch["events"], poll?: Partial<NonNullable<EventBatch["poll"]>>): EventBatch {
  const usual = { seen: 0, source: "a", nextAt: noon + 60_000, retryAt: noon + 5_000, cursor: { last: 1 } };
  return { subscriptionId, at: noon, events, limitErrors, ...(poll && { poll: { ...usual, ...poll } }) };
}

function kindsOf(taken: EventsTaken): string[] {
  return taken.kind === "stale" ? ["stale"] : taken.events.map(({ kind }) => kind);
}

/** Promises about events of connectors. */
export function testEvents(open: OpenStore): void {
  const store = useStore(open);
  const total = async (workspaceId: number) => (await store().listRuns({ workspaceId, limit: 1, offset: 0 })).total;

  describe("events", () => {
    test("start one run each, whoever tells them, and stand with the poll that brought them", async () => {
      const { place } = await publish(store());
      const first = batchOf([eventOf(place, "x"), eventOf(place, "y")], {});
      expect(kindsOf(await store().takeEvents(first))).toEqual(["started", "started"]);
      expect(await store().findPoll(subscriptionId)).toEqual({
        source: "a",
        cursor: { last: 1 },
        triedAt: noon,
        polledAt: noon,
        error: null,
        failures: 0,
        revision: 1,
      });
      expect(await store().listMoments("poll")).toEqual([{ owner: subscriptionId, at: noon + 60_000 }]);
      const pushed = await store().takeEvents(batchOf([eventOf(place, "y"), eventOf(place, "z")]));
      expect(kindsOf(pushed)).toEqual(["seen", "started"]);
      expect(await total(place.workspaceId)).toBe(3);
    });

    test("of a poll that saw another revision, or of a trigger that is paused, change nothing", async () => {
      const { place } = await publish(store());
      await store().takeEvents(batchOf([], {}));
      expect(kindsOf(await store().takeEvents(batchOf([eventOf(place, "x")], {})))).toEqual(["stale"]);
      const { workspaceId } = place;
      await store().setSubscriptionStatus({ workspaceId, id: subscriptionId, status: "paused", at: noon });
      expect(kindsOf(await store().takeEvents(batchOf([eventOf(place, "x")])))).toEqual(["stale"]);
      const error = { code: "UNKNOWN", message: "no" } as const;
      const failed = { subscriptionId, seen: 1, source: "a", at: noon, nextAt: noon + 1, error };
      expect(await store().failPoll(failed)).toBe(false);
      expect(await total(workspaceId)).toBe(0);
    });

    test("that no run is started for are remembered", async () => {
      const { place } = await publish(store());
      const past = { ...eventOf(place, "x"), run: null };
      expect(kindsOf(await store().takeEvents(batchOf([past], {})))).toEqual(["seen"]);
      expect(kindsOf(await store().takeEvents(batchOf([eventOf(place, "x")], { seen: 1 })))).toEqual(["seen"]);
    });

    test("over a limit have runs that failed; without room in the queue the rest is left, and so is the cursor", async () => {
      const { place } = await publish(store());
      const capped = batchOf([1, 2].map((n) => eventOf(place, `cap-${n}`, { hourlyCap: 1 })));
      expect(kindsOf(await store().takeEvents(capped))).toEqual(["started", "failed"]);
      const full = [1, 2, 3].map((n) => eventOf(place, `full-${n}`, { maxQueued: 2 }));
      const taken = await store().takeEvents(batchOf(full, {}));
      expect([kindsOf(taken), taken.kind === "taken" && taken.isComplete]).toEqual([["started"], false]);
      expect(await store().findPoll(subscriptionId)).toBeNull();
      expect(await store().listMoments("poll")).toEqual([{ owner: subscriptionId, at: noon + 5_000 }]);
      const { runs } = await store().listRuns({
        workspaceId: place.workspaceId,
        statuses: ["failed"],
        limit: 9,
        offset: 0,
      });
      expect(runs).toHaveLength(1);
    });

    test("are forgotten after a while, but not while they are told again", async () => {
      const { place } = await publish(store());
      await store().takeEvents(batchOf([eventOf(place, "old"), eventOf(place, "told")]));
      const later = noon + 48 * hourMs;
      await store().takeEvents({ ...batchOf([eventOf(place, "told")]), at: later });
      expect(await store().deleteSeenEvents(later, 10)).toBe(1);
      expect(kindsOf(await store().takeEvents(batchOf([eventOf(place, "told"), eventOf(place, "old")])))).toEqual([
        "seen",
        "started",
      ]);
    });
  });

  describe("a poll", () => {
    const error = { code: "UPSTREAM_ERROR", message: "down" } as const;

    test("that fails keeps its cursor, counts, and loses both when it polls something else", async () => {
      await publish(store());
      await store().takeEvents(batchOf([], {}));
      const failed = { subscriptionId, seen: 1, source: "a", at: noon + 1, nextAt: noon + 9, error };
      expect(await store().failPoll(failed)).toBe(true);
      expect(await store().failPoll(failed)).toBe(false);
      expect(await store().failPoll({ ...failed, seen: 2 })).toBe(true);
      expect(await store().findPoll(subscriptionId)).toMatchObject({ cursor: { last: 1 }, failures: 2, error });
      expect(await store().listMoments("poll")).toEqual([{ owner: subscriptionId, at: noon + 9 }]);
      await store().failPoll({ ...failed, seen: 3, source: "b" });
      expect(await store().findPoll(subscriptionId)).toMatchObject({ cursor: null, polledAt: null, failures: 1 });
    });

    test("begins anew when its trigger comes back after another kind of trigger", async () => {
      const { workflowId } = await publish(store());
      await store().takeEvents(batchOf([], {}));
      expect((await store().listConnectorTriggers()).map(({ id }) => id)).toEqual([subscriptionId]);
      await publish(store(), "webhook", workflowId);
      expect(await store().listConnectorTriggers()).toEqual([]);
      await publish(store(), "connector", workflowId);
      expect(await store().findPoll(subscriptionId)).toBeNull();
      expect((await store().listConnectorTriggers()).map(({ id }) => id)).toEqual([subscriptionId]);
    });
  });

  test("a connection that needs new credentials is told of once, in the same transaction", async () => {
    const workspaceId = await defaultWorkspaceId(store());
    const connection = { id: "c1", workspaceId, connector: "desk", name: "mine", settings: {}, requireApproval: false };
    await store().createConnection({ ...connection, secrets: new Uint8Array([1]), status: "active", createdAt: noon });
    const change = { workspaceId, id: "c1", status: "needs_auth", tellsPeople: true, at: noon } as const;
    await store().updateConnection(change);
    await store().updateConnection(change);
    const [moment, ...others] = await store().listMoments("notice");
    expect(others).toEqual([]);
    const notice = await store().findNotice(moment?.owner ?? "");
    expect(notice).toMatchObject({ event: "connection.needs_auth", id: "c1", runId: "", workspaceId });
  });
}
