import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NewRun } from "../store.ts";
import {
  claimSampleRun,
  createSampleRun,
  hourMs,
  noon,
  publishSample,
  range,
  sampleId,
  sampleRun,
  type RunPlace,
} from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

/** Promises of `createRun` about the hourly cap and the admission bound (contract 5, 6). */
export function testAdmission(open: OpenStore): void {
  const store = useStore(open);

  const create = (place: RunPlace, changes: Partial<NewRun>) => store().createRun(sampleRun(place, changes));

  describe("the hourly cap", () => {
    test("lets exactly that many of 200 runs at once begin", async () => {
      const place = await publishSample(store());
      const results = await Promise.all(range(200).map((n) => create(place, { hourlyCap: 100, createdAt: noon + n })));
      expect(results.filter(({ kind }) => kind === "created")).toHaveLength(100);
      expect(results.at(-1)).toEqual({ kind: "hourly_cap", oldestAt: noon });
      const { total } = await store().listRuns({ workspaceId: place.workspaceId, limit: 1, offset: 0 });
      expect(total).toBe(100);
    });

    test("frees a place when the oldest run leaves the hour", async () => {
      const place = await publishSample(store());
      for (const createdAt of [noon, noon + 10]) await create(place, { createdAt, hourlyCap: 2 });
      const early = await create(place, { createdAt: noon + hourMs - 1, hourlyCap: 2 });
      expect(early).toEqual({ kind: "hourly_cap", oldestAt: noon });
      const later = await create(place, { createdAt: noon + hourMs, hourlyCap: 2 });
      expect(later.kind).toBe("created");
      const again = await create(place, { createdAt: noon + hourMs, hourlyCap: 2 });
      expect(again).toEqual({ kind: "hourly_cap", oldestAt: noon + 10 });
    });

    test("names the run that has to leave first when the cap was lowered", async () => {
      const place = await publishSample(store());
      for (const createdAt of [noon, noon + 1, noon + 2]) await create(place, { createdAt });
      expect(await create(place, { createdAt: noon + 3, hourlyCap: 2 })).toEqual({
        kind: "hourly_cap",
        oldestAt: noon + 1,
      });
    });

    test("counts each user alone", async () => {
      const place = await publishSample(store());
      await create(place, { userId: "ada", hourlyCap: 1 });
      expect((await create(place, { userId: "bob", hourlyCap: 1 })).kind).toBe("created");
      expect((await create(place, { userId: "ada", hourlyCap: 1 })).kind).toBe("hourly_cap");
    });

    test("counts every source, and neither dry runs nor runs that are born finished", async () => {
      const place = await publishSample(store());
      await create(place, { source: "dry_run", dryRun: true, status: "succeeded", hourlyCap: 1 });
      await create(place, { source: "schedule", status: "failed", completedAt: noon });
      expect((await create(place, { source: "webhook", hourlyCap: 1 })).kind).toBe("created");
      expect((await create(place, { source: "test", hourlyCap: 1 })).kind).toBe("hourly_cap");
      const dry = await create(place, { source: "dry_run", dryRun: true, status: "succeeded", hourlyCap: 1 });
      expect(dry.kind).toBe("created");
      expect((await create(place, { source: "test", hourlyCap: null })).kind).toBe("created");
    });

    test("agrees with counting the runs of the last hour", async () => {
      const place = await publishSample(store());
      const pauses = fc.array(fc.integer({ min: 0, max: hourMs / 3 }), { minLength: 1, maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(pauses, fc.integer({ min: 1, max: 5 }), async (pauseMs, hourlyCap) => {
          const userId = sampleId();
          const begun: number[] = [];
          let createdAt = noon;
          for (const ms of pauseMs) {
            createdAt += ms;
            const inHour = begun.filter((at) => at > createdAt - hourMs);
            const result = await create(place, { userId, createdAt, hourlyCap });
            expect(result.kind).toBe(inHour.length < hourlyCap ? "created" : "hourly_cap");
            if (result.kind === "created") begun.push(createdAt);
          }
        }),
        { numRuns: 50 },
      );
    });
  });

  describe("the admission bound", () => {
    test("lets exactly that many of 50 runs at once wait", async () => {
      const place = await publishSample(store());
      const results = await Promise.all(range(50).map(() => create(place, { maxQueued: 10 })));
      expect(results.filter(({ kind }) => kind === "created")).toHaveLength(10);
      expect(results.at(-1)).toEqual({ kind: "overloaded", queued: 10 });
    });

    test("counts accepted runs alone, of all actions", async () => {
      const place = await publishSample(store());
      const other = await publishSample(store(), "other");
      const run = await createSampleRun(store(), place);
      await createSampleRun(store(), other, { status: "waiting_for_approval" });
      expect((await create(other, { maxQueued: 1 })).kind).toBe("overloaded");
      await claimSampleRun(store(), run);
      expect((await create(other, { maxQueued: 1 })).kind).toBe("created");
    });

    test("comes after the hourly cap", async () => {
      const place = await publishSample(store());
      await createSampleRun(store(), place);
      expect((await create(place, { maxQueued: 1, hourlyCap: 1 })).kind).toBe("hourly_cap");
    });
  });
}
