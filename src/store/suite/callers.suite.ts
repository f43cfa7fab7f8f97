import { describe, expect, test } from "vitest";
import type { KeyRecord, NewRun } from "../store.ts";
import {
  defaultWorkspaceId,
  hourMs,
  noon,
  publishSample,
  range,
  sampleKey,
  sampleRun,
  type RunPlace,
} from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

/** Promises about those who call: workspaces, rotation, idempotency, the monthly quota and rates that outlive a restart. */
export function testCallers(open: OpenStore): void {
  const store = useStore(open);

  describe("workspaces", () => {
    test("are made once under their name, listed by name, and change their tier", async () => {
      const made = await store().createWorkspace({ name: "alpha", tier: "free", at: noon });
      expect(made).toEqual({ id: expect.any(Number), name: "alpha", tier: "free", createdAt: noon });
      expect(await store().createWorkspace({ name: "alpha", tier: "pro", at: noon + 1 })).toBeNull();
      expect(await store().setTier({ name: "alpha", tier: "pro" })).toEqual({ ...made, tier: "pro" });
      expect(await store().setTier({ name: "nobody", tier: "pro" })).toBeNull();
      const listed = await store().listWorkspaces();
      expect(listed.map(({ name, tier }) => [name, tier])).toEqual([
        ["alpha", "pro"],
        ["default", "business"],
      ]);
    });
  });

  describe("rotating a key", () => {
    async function create(changes: Partial<KeyRecord> = {}): Promise<KeyRecord> {
      const key = sampleKey({ workspaceId: await defaultWorkspaceId(store()), ...changes });
      await store().createKey({ key, quota: null });
      return key;
    }

    const replace = async (key: KeyRecord, at = noon + 5) => {
      const replacement = { ...sampleKey({ workspaceId: key.workspaceId }), createdAt: at };
      return store().rotateKey({ workspaceId: key.workspaceId, id: key.id, replacement });
    };

    test("revokes it and adds its replacement, once", async () => {
      const key = await create();
      const results = await Promise.all([replace(key), replace(key)]);
      expect(results.toSorted()).toEqual([false, true]);
      const listed = await store().listKeys(key.workspaceId);
      expect(listed.map(({ revokedAt }) => revokedAt)).toEqual([null, noon + 5]);
    });

    test.each([{ revokedAt: noon + 1 }, { expiresAt: noon + 5 }])("does nothing to one with %j", async (changes) => {
      const key = await create(changes);
      expect(await replace(key)).toBe(false);
      expect(await store().listKeys(key.workspaceId)).toHaveLength(1);
    });

    test("does nothing to one of another workspace", async () => {
      const key = await create();
      expect(await replace({ ...key, workspaceId: key.workspaceId + 1 })).toBe(false);
    });
  });

  describe("idempotency", () => {
    const digest = (fill: number) => new Uint8Array(32).fill(fill);
    const key = (id: number, body: number) => ({ id: digest(id), body: digest(body) });
    const create = async (place: RunPlace, changes: Partial<NewRun>) => store().createRun(sampleRun(place, changes));

    test("of many runs at once under one key one is created, and the others are told which", async () => {
      const place = await publishSample(store());
      const results = await Promise.all(range(20).map(() => create(place, { idempotency: key(1, 1) })));
      const created = results.flatMap((result) => (result.kind === "created" ? [result.run.id] : []));
      expect(created).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === "repeated")).toEqual(
        range(19).map(() => ({ kind: "repeated", runId: created[0] })),
      );
      const { total } = await store().listRuns({ workspaceId: place.workspaceId, limit: 1, offset: 0 });
      expect(total).toBe(1);
    });

    test("another body under a key is a conflict, another key is another run", async () => {
      const place = await publishSample(store());
      await create(place, { idempotency: key(1, 1) });
      expect(await create(place, { idempotency: key(1, 2) })).toEqual({ kind: "idempotency_conflict" });
      expect((await create(place, { idempotency: key(2, 1) })).kind).toBe("created");
    });

    test("a key is free after 24 hours, and not a moment earlier", async () => {
      const place = await publishSample(store());
      const first = await create(place, { idempotency: key(1, 1) });
      const late = noon + 24 * hourMs;
      const runId = first.kind === "created" ? first.run.id : "";
      expect(await store().findRepeat(digest(1), late - 1)).toMatchObject({ runId });
      expect(await store().findRepeat(digest(1), late)).toBeNull();
      expect((await create(place, { idempotency: key(1, 2), createdAt: late - 1 })).kind).toBe("idempotency_conflict");
      expect((await create(place, { idempotency: key(1, 2), createdAt: late })).kind).toBe("created");
      expect((await create(place, { idempotency: key(1, 2), createdAt: late + 1 })).kind).toBe("repeated");
    });

    test("a run that was refused leaves its key free", async () => {
      const place = await publishSample(store());
      await create(place, { hourlyCap: 1 });
      expect((await create(place, { hourlyCap: 1, idempotency: key(1, 1) })).kind).toBe("hourly_cap");
      expect(await store().findRepeat(digest(1), noon)).toBeNull();
    });
  });

  describe("the monthly quota", () => {
    const create = async (place: RunPlace, changes: Partial<NewRun>) => store().createRun(sampleRun(place, changes));

    test("lets exactly that many of 50 runs at once begin, and begins anew with the month", async () => {
      const place = await publishSample(store());
      const last = Date.UTC(2026, 5, 30, 23, 59, 59, 999);
      const at = async (createdAt: number) => create(place, { monthlyQuota: 7, createdAt });
      const results = await Promise.all(range(50).map(async () => at(last)));
      expect(results.filter(({ kind }) => kind === "created")).toHaveLength(7);
      expect(results.at(-1)).toEqual({ kind: "monthly_quota" });
      expect((await at(last + 1)).kind).toBe("created");
    });

    test("counts what began without it, and no dry runs", async () => {
      const place = await publishSample(store());
      await create(place, {});
      await create(place, { dryRun: true, source: "dry_run", status: "succeeded" });
      expect((await create(place, { monthlyQuota: 2 })).kind).toBe("created");
      expect((await create(place, { monthlyQuota: 2 })).kind).toBe("monthly_quota");
      expect((await create(place, { monthlyQuota: null })).kind).toBe("created");
    });
  });

  describe("counted requests", () => {
    test("come back as they were saved, oldest first, as long as a window may hold them", async () => {
      const batches = [noon, noon + 30_000, noon + 59_999].map((at) => ({
        at,
        hits: [{ key: "k", times: [at - 0.25, at] }],
      }));
      for (const batch of batches) await store().saveHits(batch);
      const hits = batches.flatMap((batch) => batch.hits);
      expect(await store().readHits(noon - 1)).toEqual(hits);
      expect(await store().readHits(noon)).toEqual(hits.slice(1));
      await store().saveHits({ at: noon + 60_000, hits: [] });
      expect(await store().readHits(0)).toEqual(hits.slice(1));
    });
  });

  test("runs are counted by status", async () => {
    expect(await store().countRuns()).toEqual([]);
    const place = await publishSample(store());
    for (const _ of range(3)) await store().createRun(sampleRun(place));
    await store().createRun(sampleRun(place, { dryRun: true, source: "dry_run", status: "succeeded" }));
    expect(await store().countRuns()).toEqual([
      { status: "accepted", n: 3 },
      { status: "succeeded", n: 1 },
    ]);
  });
}
