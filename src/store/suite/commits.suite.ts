import { describe, expect, test } from "vitest";
import { isTerminal, runStatuses, type RunStatus } from "../../contract/run.ts";
import type { RunRecord } from "../store.ts";
import {
  claimSampleRun,
  createSampleRun,
  getRun,
  noon,
  publishSample,
  range,
  sampleClaim,
  sampleCommit,
  sampleEvent,
} from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

/** Promises of `commitRun`: fences, claims, terminal states, races. */
export function testCommits(open: OpenStore): void {
  const store = useStore(open);

  async function create(status: RunStatus = "accepted"): Promise<RunRecord> {
    return createSampleRun(store(), await publishSample(store()), { status });
  }

  async function createRunning(): Promise<RunRecord> {
    return claimSampleRun(store(), await create());
  }

  /** Everything that a commit could have changed. */
  async function snapshot(run: RunRecord) {
    return { run: await getRun(store(), run), events: await store().readJournal(run.id, 0, 100) };
  }

  describe("a claim", () => {
    test("takes an accepted run together with what it writes", async () => {
      const run = await create();
      const commit = sampleClaim(run, { events: [sampleEvent(), sampleEvent()], activeMs: 3, at: noon + 5 });
      expect(await store().commitRun(commit)).toBe(true);
      expect(await getRun(store(), run)).toEqual({
        ...run,
        status: "running",
        epoch: 1,
        held: true,
        seq: 2,
        activeMs: 3,
        startedAt: noon,
      });
    });

    test("starts the run no later than its first event happened", async () => {
      const run = await create();
      const events = [sampleEvent({ createdAt: noon + 2 }), sampleEvent({ createdAt: noon + 3 })];
      expect(await store().commitRun(sampleClaim(run, { events, at: noon + 5 }))).toBe(true);
      expect(await getRun(store(), run)).toMatchObject({ startedAt: noon + 2 });
    });

    test("can carry a run of pure steps to its end", async () => {
      const run = await create();
      const commit = sampleClaim(run, {
        events: [sampleEvent()],
        status: "succeeded",
        output: { ok: true },
        at: noon + 5,
      });
      expect(await store().commitRun(commit)).toBe(true);
      expect(await getRun(store(), run)).toMatchObject({
        status: "succeeded",
        output: { ok: true },
        startedAt: noon,
        completedAt: noon + 5,
      });
    });

    test.each(runStatuses.filter(isTerminal))("does not take a run that %s", async (status) => {
      const run = await create(status);
      const before = await snapshot(run);
      expect(await store().commitRun(sampleClaim(run, { events: [sampleEvent()] }))).toBe(false);
      expect(await snapshot(run)).toEqual(before);
    });

    test.each([0, 2])("needs the epoch above the run's, not epoch %i", async (epoch) => {
      const run = await create();
      expect(await store().commitRun(sampleClaim(run, { epoch }))).toBe(false);
      expect(await getRun(store(), run)).toEqual(run);
    });

    test("has one winner of 64", async () => {
      const run = await create();
      const results = await Promise.all(range(64).map(() => store().commitRun(sampleClaim(run))));
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await getRun(store(), run)).toMatchObject({ status: "running", epoch: 1 });
    });
  });

  describe("a commit", () => {
    test("appends events under consecutive numbers and adds active time", async () => {
      let run = await createRunning();
      for (const count of [2, 0, 3]) {
        const events = range(count).map(() => sampleEvent());
        expect(await store().commitRun(sampleCommit(run, { events, activeMs: 1.5 }))).toBe(true);
        run = await getRun(store(), run);
      }
      expect(run).toMatchObject({ seq: 5, activeMs: 4.5, status: "running", completedAt: null });
      expect((await store().readJournal(run.id, 0, 9)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    });

    test("keeps output and error that it does not name, and null clears an error", async () => {
      const run = await createRunning();
      const error = { code: "UNKNOWN", message: "odd" };
      await store().commitRun(sampleCommit(run, { output: [1], error }));
      await store().commitRun(sampleCommit(run, { activeMs: 1 }));
      expect(await getRun(store(), run)).toMatchObject({ output: [1], error });
      await store().commitRun(sampleCommit(run, { output: null, error: null, status: "waiting" }));
      expect(await getRun(store(), run)).toMatchObject({ output: null, error: null, status: "waiting" });
    });

    test("keeps the first start and notes the end", async () => {
      const run = await createRunning();
      const release = { as: "parked", awaitsApproval: false } as const;
      await store().commitRun(sampleCommit(run, { status: "waiting", release, at: noon + 1 }));
      await store().commitRun(sampleClaim(run, { at: noon + 3 }));
      const again = await getRun(store(), run);
      await store().commitRun(sampleCommit(again, { status: "failed", at: noon + 4 }));
      expect(await getRun(store(), run)).toMatchObject({ epoch: 2, startedAt: noon, completedAt: noon + 4 });
    });

    test("cancels an accepted run without claiming it", async () => {
      const run = await create();
      expect(await store().commitRun(sampleCommit(run, { status: "cancelled" }))).toBe(true);
      expect(await getRun(store(), run)).toMatchObject({ status: "cancelled", epoch: 0, startedAt: null });
    });

    test("of an older epoch changes nothing", async () => {
      const run = await createRunning();
      await store().recoverRuns(noon);
      const before = await snapshot(run);
      const late = sampleCommit(run, { events: [sampleEvent()], status: "succeeded", output: 1, activeMs: 9 });
      expect(await store().commitRun(late)).toBe(false);
      expect(await store().commitRun({ ...late, epoch: run.epoch + 7 })).toBe(false);
      expect(await snapshot(run)).toEqual(before);
    });

    test("that does not follow the last event changes nothing", async () => {
      const run = await createRunning();
      await store().commitRun(sampleCommit(run, { events: [sampleEvent(), sampleEvent()] }));
      const before = await snapshot(run);
      for (const seq of [0, 1, 3]) {
        const commit = sampleCommit(run, { seq, events: [sampleEvent()], status: "failed" });
        expect(await store().commitRun(commit)).toBe(false);
      }
      expect(await snapshot(run)).toEqual(before);
    });

    test("of an unknown run is false", async () => {
      const run = await create();
      expect(await store().commitRun(sampleCommit({ ...run, id: "unknown" }))).toBe(false);
    });

    test("with an event number has one winner of 64", async () => {
      const run = await createRunning();
      const results = await Promise.all(
        range(64).map((n) => store().commitRun(sampleCommit(run, { events: [sampleEvent({ attempt: n + 1 })] }))),
      );
      const winners = range(64).filter((n) => results[n]);
      expect(winners).toHaveLength(1);
      expect(await store().readJournal(run.id, 0, 9)).toMatchObject([{ seq: 1, attempt: winners[0]! + 1 }]);
    });
  });

  describe("a terminal run", () => {
    test.each(runStatuses.filter(isTerminal))("that %s never changes again", async (terminal) => {
      const running = await createRunning();
      await store().commitRun(sampleCommit(running, { status: terminal, output: "last" }));
      const run = await getRun(store(), running);
      const before = await snapshot(run);
      for (const status of [undefined, ...runStatuses]) {
        const changes = { events: [sampleEvent()], output: "later", ...(status ? { status } : {}) };
        expect(await store().commitRun(sampleCommit(run, changes))).toBe(false);
        expect(await store().commitRun(sampleClaim(run, changes))).toBe(false);
      }
      expect(await store().recoverRuns(noon)).toEqual([]);
      expect(await snapshot(run)).toEqual(before);
    });
  });
}
