import { describe, expect, test } from "vitest";
import type { Json } from "../../contract/json.ts";
import {
  claimSampleRun,
  createSampleRun,
  defaultWorkspaceId,
  getRun,
  noon,
  publishSample,
  range,
  sampleClaim,
  sampleCommit,
  sampleEvent,
  sampleId,
  sampleRun,
} from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

/** Promises of `RunStore` about creating, finding, recovering and watching runs and reading their journals. */
export function testRuns(open: OpenStore): void {
  const store = useStore(open);

  describe("creating and finding", () => {
    const inputs: Json[] = [null, "text", 1.5, [1, null], { a: { b: [] } }, JSON.parse('{"__proto__": {"x": 1}}')];

    test.each(inputs.map((input) => [JSON.stringify(input), input]))(
      "a run with input %s comes back",
      async (text, input) => {
        const place = await publishSample(store());
        const created = await createSampleRun(store(), place, { input });
        const found = await getRun(store(), created);
        expect(found).toEqual(created);
        expect(JSON.stringify(found.input)).toBe(text);
      },
    );

    test("a new run stands at its beginning", async () => {
      const place = await publishSample(store());
      const run = await createSampleRun(store(), place, { source: "manual", completedAt: noon, status: "failed" });
      const { actionId: _, ...shown } = place;
      expect(run).toEqual({
        ...shown,
        id: run.id,
        userId: "ada",
        source: "manual",
        status: "failed",
        input: { order_id: "o-1" },
        output: null,
        error: null,
        dryRun: false,
        epoch: 0,
        seq: 0,
        crashes: 0,
        held: false,
        incidentId: null,
        activeMs: 0,
        createdAt: noon,
        startedAt: null,
        completedAt: noon,
        resumeFromRunId: null,
        isInputRedacted: false,
        isResultRedacted: false,
        traceparent: null,
        http: null,
      });
    });

    test("a run of another workspace is not found", async () => {
      const run = await createSampleRun(store(), await publishSample(store()));
      expect(await store().findRun(4711, run.id)).toBeNull();
      expect(await store().findRun(run.workspaceId, "unknown")).toBeNull();
    });

    test("a run needs a version of a workflow of its workspace", async () => {
      const place = await publishSample(store());
      const other = await publishSample(store(), "other");
      const wrong = [{ versionId: sampleId() }, { workflowId: other.workflowId }, { workspaceId: 4711 }];
      for (const change of wrong) await expect(createSampleRun(store(), place, change)).rejects.toThrow(/not created/);
      const { total } = await store().listRuns({ workspaceId: place.workspaceId, limit: 9, offset: 0 });
      expect(total).toBe(0);
    });

    test("a failing write fails alone, whatever else is asked for in the same turn", async () => {
      const place = await publishSample(store());
      const first = await createSampleRun(store(), place);
      const results = await Promise.allSettled([
        createSampleRun(store(), place),
        createSampleRun(store(), place, { id: first.id, input: "twice" }),
        createSampleRun(store(), place),
        store().commitRun(sampleClaim(first, { events: [sampleEvent()] })),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
      expect(await getRun(store(), first)).toMatchObject({ input: first.input, status: "running", seq: 1 });
      const { total } = await store().listRuns({ workspaceId: place.workspaceId, limit: 9, offset: 0 });
      expect(total).toBe(3);
    });

    test("a read sees every write whose promise has settled", async () => {
      const place = await publishSample(store());
      for (const n of range(20)) {
        const run = await createSampleRun(store(), place, { input: n });
        expect(await store().findRun(place.workspaceId, run.id)).toEqual(run);
      }
    });
  });

  describe("the queue", () => {
    test("accepted runs come in the order in which they were accepted", async () => {
      const place = await publishSample(store());
      const runs = await Promise.all(range(5).map(() => createSampleRun(store(), place)));
      await claimSampleRun(store(), runs[1]!);
      const ids = async (after: string | null, limit: number) =>
        (await store().listAccepted(after, limit)).map(({ id }) => id);
      const queued = [0, 2, 3, 4].map((n) => runs[n]!.id);
      expect(await ids(null, 9)).toEqual(queued);
      expect(await ids(null, 2)).toEqual(queued.slice(0, 2));
      expect(await ids(queued[1]!, 9)).toEqual(queued.slice(2));
      expect(await ids(runs[1]!.id, 9)).toEqual(queued.slice(1));
    });

    test("after a run that nobody knows the queue starts over", async () => {
      const run = await createSampleRun(store(), await publishSample(store()));
      expect(await store().listAccepted("unknown", 9)).toEqual([run]);
    });
  });

  describe("recovery", () => {
    test("takes the running runs alone, with a new epoch and one crash more, oldest first", async () => {
      const place = await publishSample(store());
      const runs = await Promise.all(range(4).map(() => createSampleRun(store(), place)));
      const [first, waiting, , last] = runs as [(typeof runs)[0], (typeof runs)[0], unknown, (typeof runs)[0]];
      await claimSampleRun(store(), last);
      await claimSampleRun(store(), first);
      const park = { status: "waiting", release: { as: "parked", awaitsApproval: false } } as const;
      await store().commitRun(sampleCommit(await claimSampleRun(store(), waiting), park));
      const recovered = await store().recoverRuns(noon + 1);
      expect(recovered.map(({ id, epoch, crashes }) => [id, epoch, crashes])).toEqual([
        [first.id, 2, 1],
        [last.id, 2, 1],
      ]);
      expect(recovered[0]).toEqual(await getRun(store(), first));
      expect((await store().recoverRuns(noon + 2)).map(({ crashes }) => crashes)).toEqual([2, 2]);
    });
  });

  describe("the journal", () => {
    test("tells absent payloads from null ones and keeps what an event has", async () => {
      const run = await claimSampleRun(store(), await createSampleRun(store(), await publishSample(store())));
      const events = [
        sampleEvent(),
        sampleEvent({ type: "step_completed", inputData: null, outputData: { a: [1] }, durationMs: 1.25 }),
        sampleEvent({
          type: "step_failed",
          iteration: [0, 3],
          attempt: 2,
          error: { code: "TIMEOUT", message: "late" },
        }),
      ];
      await store().commitRun(sampleCommit(run, { events }));
      expect(await store().readJournal(run.id, 0, 9)).toEqual(events.map((event, at) => ({ ...event, seq: at + 1 })));
    });

    test("is read in pages, and never another run's", async () => {
      const place = await publishSample(store());
      const runs = await Promise.all(range(3).map(() => createSampleRun(store(), place)));
      const events = range(5).map((n) => sampleEvent({ attempt: n + 1 }));
      await Promise.all(runs.map((run) => store().commitRun(sampleClaim(run, { events }))));
      const seqs = async (after: number, limit: number) =>
        (await store().readJournal(runs[1]!.id, after, limit)).map(({ seq }) => seq);
      expect(await seqs(0, 9)).toEqual([1, 2, 3, 4, 5]);
      expect(await seqs(1, 3)).toEqual([2, 3, 4]);
      expect(await seqs(5, 9)).toEqual([]);
      expect(await seqs(2 ** 21, 9)).toEqual([]);
      expect(await seqs(-(2 ** 21), 9)).toEqual([1, 2, 3, 4, 5]);
      expect(await store().readJournal("unknown", 0, 9)).toEqual([]);
    });
  });

  describe("watching", () => {
    test("tells each change of a run once it can be read, until it is ended", async () => {
      const place = await publishSample(store());
      const workspaceId = await defaultWorkspaceId(store());
      const run = sampleRun(place);
      const seen: unknown[] = [];
      const reads: Promise<unknown>[] = [];
      const end = store().watchRuns(run.id, (change) => {
        seen.push(change);
        reads.push(store().findRun(workspaceId, run.id));
      });
      await createSampleRun(store(), place, run);
      await createSampleRun(store(), place);
      await store().commitRun({ ...sampleClaim(await getRun(store(), run)), events: [sampleEvent()] });
      await store().commitRun({ ...sampleClaim(await getRun(store(), run)), seq: 7 });
      end();
      await store().commitRun(sampleCommit(await getRun(store(), run), { status: "succeeded" }));
      const base = { runId: run.id, workspaceId };
      expect(seen).toEqual([
        { ...base, status: "accepted", seq: 0 },
        { ...base, status: "running", seq: 1 },
      ]);
      expect(await Promise.all(reads)).toMatchObject([{ status: "accepted" }, { status: "running", seq: 1 }]);
    });

    test("null hears of every run", async () => {
      const place = await publishSample(store());
      const seen: string[] = [];
      const end = store().watchRuns(null, ({ runId, status }) => seen.push(`${runId} ${status}`));
      const one = await createSampleRun(store(), place);
      const other = await createSampleRun(store(), place);
      await claimSampleRun(store(), one);
      end();
      expect(seen).toEqual([`${one.id} accepted`, `${other.id} accepted`, `${one.id} running`]);
    });
  });

  describe("closing", () => {
    test("waits for what was asked for, and refuses what comes later", async () => {
      const place = await publishSample(store());
      const writes = range(10).map(() => createSampleRun(store(), place));
      const closed = store().close();
      expect(await Promise.all(writes)).toHaveLength(10);
      await closed;
      await store().close();
      await expect(createSampleRun(store(), place)).rejects.toThrow(/closed/);
      await expect(store().findRun(1, "unknown")).rejects.toThrow(/closed/);
    });

    test("waits for what is asked for while earlier writes settle", async () => {
      const place = await publishSample(store());
      const told = Promise.withResolvers<Promise<unknown>[]>();
      const end = store().watchRuns(null, () => {
        end();
        told.resolve([createSampleRun(store(), place), store().close()]);
      });
      await createSampleRun(store(), place);
      expect(await Promise.all(await told.promise)).toMatchObject([{ status: "accepted" }, undefined]);
    });
  });
}
