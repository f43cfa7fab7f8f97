import { describe, expect, test } from "vitest";
import type { NewSlot, Store } from "../store.ts";
import {
  type RunPlace,
  claimSampleRun,
  createSampleRun,
  defaultWorkspaceId,
  hourMs,
  noon,
  publishSample,
  range,
  sampleCommit,
  sampleId,
  samplePublish,
  sampleRun,
} from "./samples.ts";
import { type OpenStore, useStore } from "./use-store.ts";

const config = { kind: "schedule", mode: "interval", seconds: 60 };

/** Publishes a workflow with a schedule. */
async function publishSchedule(store: Store, name: string): Promise<{ place: RunPlace; id: string }> {
  const workspaceId = await defaultWorkspaceId(store);
  const id = `schedule-${name}`;
  const published = await store.publishVersion(
    samplePublish({
      workspaceId,
      slug: null,
      type: "event_driven",
      definition: { name, approval_policy: "never", nodes: [], edges: [] },
      trigger: { id, kind: "schedule", config, userId: "ada" },
    }),
  );
  return { place: { workspaceId, ...published, actionId: null, actionSlug: null }, id };
}

const from = { at: -1, id: 0 };

/** Promises about moments without a run, firings of schedules and notices. */
export function testMoments(open: OpenStore): void {
  const store = useStore(open);

  async function dueAt(until: number) {
    const moments = await store().listDue({ after: from, until, limit: 99 });
    return moments.map(({ kind, owner, at }) => [kind, owner, at]);
  }

  describe("a moment without a run", () => {
    test("is there once for its owner, moves and goes", async () => {
      await store().setMoment({ kind: "schedule", owner: "a", at: noon });
      await store().setMoment({ kind: "schedule", owner: "a", at: noon + 5 });
      await store().setMoment({ kind: "upkeep", owner: "a", at: noon + 2 });
      expect(await dueAt(noon + 9)).toEqual([
        ["upkeep", "a", noon + 2],
        ["schedule", "a", noon + 5],
      ]);
      expect(await store().listMoments("schedule")).toEqual([{ owner: "a", at: noon + 5 }]);
      expect(await store().nextDueAt(noon + 2)).toBe(noon + 5);
      await store().setMoment({ kind: "schedule", owner: "a", at: null });
      await store().setMoment({ kind: "schedule", owner: "nobody", at: null });
      expect(await dueAt(noon + 9)).toEqual([["upkeep", "a", noon + 2]]);
    });

    test("stands among those of runs, and stays when these end", async () => {
      const run = await claimSampleRun(store(), await createSampleRun(store(), await publishSample(store())));
      await store().commitRun(sampleCommit(run, { addDue: [{ kind: "wait", owner: "w", at: noon + 1 }] }));
      await store().setMoment({ kind: "upkeep", owner: "", at: noon + 1 });
      expect(await dueAt(noon + 1)).toHaveLength(2);
      await store().commitRun(sampleCommit(run, { status: "succeeded" }));
      expect(await dueAt(noon + 1)).toEqual([["upkeep", "", noon + 1]]);
    });
  });

  describe("a firing", () => {
    async function fire(place: RunPlace, slot: NewSlot) {
      const { kind } = await store().createRun(sampleRun(place, { source: "schedule", slot }));
      return kind;
    }

    test("takes place once, however many ask at the same time", async () => {
      const { place, id } = await publishSchedule(store(), "once");
      const slot = { subscriptionId: id, at: noon, skipsOverlap: false };
      const kinds = await Promise.all(range(5).map(async () => fire(place, slot)));
      expect(kinds.toSorted()).toEqual(["created", "slot_taken", "slot_taken", "slot_taken", "slot_taken"]);
      expect(await fire(place, { ...slot, at: noon + 1 })).toBe("created");
      expect((await store().listRuns({ workspaceId: place.workspaceId, limit: 9, offset: 0 })).total).toBe(2);
    });

    test("is free again when its run was refused", async () => {
      const { place, id } = await publishSchedule(store(), "refused");
      const slot = { subscriptionId: id, at: noon, skipsOverlap: false };
      const full = await store().createRun(sampleRun(place, { slot, maxQueued: 0 }));
      expect(full.kind).toBe("overloaded");
      expect(await fire(place, slot)).toBe("created");
    });

    test("does not take place while its subscription is paused, or of one that is gone", async () => {
      const { place, id } = await publishSchedule(store(), "paused");
      const slot = { subscriptionId: id, at: noon, skipsOverlap: false };
      const { workspaceId } = place;
      await store().setSubscriptionStatus({ workspaceId, id, status: "paused", at: noon });
      expect(await fire(place, slot)).toBe("slot_taken");
      expect(await fire(place, { ...slot, subscriptionId: "nobody" })).toBe("slot_taken");
      expect((await store().listSchedules()).map((schedule) => schedule.id)).not.toContain(id);
      await store().setSubscriptionStatus({ workspaceId, id, status: "active", at: noon });
      expect(await fire(place, slot)).toBe("created");
      expect((await store().listSchedules()).map((schedule) => schedule.id)).toContain(id);
    });

    test("is left out while the run of the one before is not over, if it says so", async () => {
      const { place, id } = await publishSchedule(store(), "overlap");
      const slot = (at: number, skipsOverlap = true) => ({ subscriptionId: id, at, skipsOverlap });
      const first = sampleRun(place, { slot: slot(noon) });
      await store().createRun(first);
      expect(await store().createRun(sampleRun(place, { slot: slot(noon + 1) }))).toEqual({
        kind: "overlap",
        runId: first.id,
      });
      expect(await fire(place, slot(noon + 1, false))).toBe("slot_taken");
      expect(await fire(place, slot(noon + 2, false))).toBe("created");
    });

    test("is forgotten after its time", async () => {
      const { place, id } = await publishSchedule(store(), "forgotten");
      for (const n of range(3)) await fire(place, { subscriptionId: id, at: noon + n, skipsOverlap: false });
      expect(await store().deleteSlots(noon + 2, 1)).toBe(1);
      expect(await store().deleteSlots(noon + 2, 9)).toBe(1);
      expect(await store().deleteSlots(noon + 2, 9)).toBe(0);
      expect(await fire(place, { subscriptionId: id, at: noon + 2, skipsOverlap: false })).toBe("slot_taken");
    });
  });

  describe("a notice", () => {
    async function failWith(tellsPeople: boolean) {
      const run = await claimSampleRun(store(), await createSampleRun(store(), await publishSample(store())));
      const health = { incidentId: sampleId(), pauseAfter: 0 };
      await store().commitRun(sampleCommit(run, { status: "failed", health, tellsPeople }));
      return { run, incidentId: health.incidentId };
    }

    test("is written with what it tells, and due at once", async () => {
      const { run, incidentId } = await failWith(true);
      const [moment] = await store().listMoments("notice");
      expect(moment).toMatchObject({ at: noon });
      expect(await store().findNotice(moment?.owner ?? "")).toEqual({
        uuid: moment?.owner,
        workspaceId: run.workspaceId,
        runId: run.id,
        event: "incident.opened",
        id: incidentId,
        createdAt: noon,
        tries: 0,
        told: [],
      });
    });

    test("is none where there is nobody to tell", async () => {
      await failWith(false);
      expect(await store().listMoments("notice")).toEqual([]);
    });

    test("keeps who was told until it is done with", async () => {
      await failWith(true);
      const [moment] = await store().listMoments("notice");
      const uuid = moment?.owner ?? "";
      await store().updateNotice({ uuid, told: ["desktop"], retryAt: noon + hourMs });
      expect(await store().findNotice(uuid)).toMatchObject({ tries: 1, told: ["desktop"] });
      expect(await store().listMoments("notice")).toEqual([{ owner: uuid, at: noon + hourMs }]);
      await store().updateNotice({ uuid, told: ["desktop", "command"], retryAt: null });
      expect(await store().findNotice(uuid)).toBeNull();
      expect(await store().listMoments("notice")).toEqual([]);
    });
  });
}
