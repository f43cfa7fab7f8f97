import { expect, test } from "vitest";
import type { Expiry, Store } from "../store.ts";
import {
  claimSampleRun,
  createSampleRun,
  getRun,
  hourMs,
  noon,
  publishSample,
  range,
  sampleClaim,
  sampleEvent,
} from "./samples.ts";
import { type OpenStore, useStore } from "./use-store.ts";

type Place = Awaited<ReturnType<typeof publishSample>>;

/** A run with so many events, the first of them and the input sealed, that ended at this moment. */
async function endedRun(store: Store, place: Place, endedAt: number, events = 3) {
  const sealed = [{ place: "input" as const, content: Uint8Array.of(1) }];
  const run = await createSampleRun(store, place, { createdAt: endedAt - 10, sealed });
  const commit = sampleClaim(run, {
    events: range(events).map(() => sampleEvent({ isRedacted: true })),
    sealed: [{ place: 1, content: Uint8Array.of(2) }],
    status: "succeeded",
    at: endedAt,
  });
  expect(await store.commitRun(commit)).toBe(true);
  return run;
}

/** All batches of a walk; the rows that each deleted. */
async function deleteAll(store: Store, what: Expiry["what"], before: number, limit = 100): Promise<number[]> {
  const batches: number[] = [];
  for (let from: number | null = 0; from !== null;) {
    const progress: { deleted: number; next: number | null } = await store.deleteExpired({ what, before, from, limit });
    batches.push(progress.deleted);
    from = progress.next;
  }
  return batches;
}

export function testRetention(open: OpenStore): void {
  const store = useStore(open);

  test("originals go where the run ended early enough, and the redacted record stays", async () => {
    const place = await publishSample(store());
    const early = await endedRun(store(), place, noon);
    const late = await endedRun(store(), place, noon + hourMs);
    await deleteAll(store(), "sealed", noon + 1);
    expect(await store().findSealed(early.id, "input")).toBeNull();
    expect(await store().listSealed(early.id, 0, 100)).toEqual([]);
    expect((await store().readJournal(early.id, 0, 10)).length).toBe(3);
    expect((await getRun(store(), early)).isInputRedacted).toBe(true);
    expect(await store().findSealed(late.id, "input")).not.toBeNull();
  });

  test("a run that is not over keeps everything, however old it is, and does not hold up those behind it", async () => {
    const place = await publishSample(store());
    const unfinished = await createSampleRun(store(), place, {
      createdAt: noon - hourMs,
      sealed: [{ place: "input", content: Uint8Array.of(1) }],
    });
    await claimSampleRun(store(), unfinished);
    const ended = await endedRun(store(), place, noon);
    for (const what of ["sealed", "journals", "runs"] as const) await deleteAll(store(), what, noon + hourMs);
    expect(await store().findSealed(unfinished.id, "input")).not.toBeNull();
    expect(await store().findRun(place.workspaceId, unfinished.id)).not.toBeNull();
    expect(await store().findRun(place.workspaceId, ended.id)).toBeNull();
  });

  test("a run goes with its journal, its originals and its count; its audit entries stay", async () => {
    const place = await publishSample(store());
    const run = await endedRun(store(), place, noon);
    const kept = await endedRun(store(), place, noon + hourMs);
    const entry = {
      event: "run.replayed",
      decision: null,
      approvalId: null,
      userId: "ada",
      decidedVia: null,
      comment: null,
    };
    await store().addAudit({ ...entry, workspaceId: place.workspaceId, runId: run.id, createdAt: noon });
    await deleteAll(store(), "runs", noon + 1);
    expect(await store().findRun(place.workspaceId, run.id)).toBeNull();
    expect(await store().readJournal(run.id, 0, 10)).toEqual([]);
    expect(await store().findSealed(run.id, "input")).toBeNull();
    const listed = await store().listRuns({ workspaceId: place.workspaceId, limit: 10, offset: 0 });
    expect([listed.total, listed.runs.map(({ id }) => id)]).toEqual([1, [kept.id]]);
    expect(await store().listAudit(place.workspaceId, 10)).toHaveLength(1);
  });

  test("one run is deleted at once when it is over, with an audit entry; any other stays", async () => {
    const place = await publishSample(store());
    const ongoing = await createSampleRun(store(), place, { createdAt: noon });
    await claimSampleRun(store(), ongoing);
    const [run, other] = [await endedRun(store(), place, noon, 25), await endedRun(store(), place, noon)];
    const audit = {
      workspaceId: place.workspaceId,
      event: "run.deleted",
      decision: null,
      approvalId: null,
      userId: "ada",
      decidedVia: "cli" as const,
      comment: null,
      createdAt: noon,
    };
    const remove = async (runId: string, workspaceId = place.workspaceId) =>
      store().deleteRun({ runId, audit: { ...audit, workspaceId, runId } });
    expect([await remove(run.id, 99), await remove(ongoing.id), await remove(run.id), await remove(run.id)]).toEqual([
      "missing",
      "active",
      "deleted",
      "missing",
    ]);
    expect(await store().findRun(place.workspaceId, run.id)).toBeNull();
    expect(await store().readJournal(run.id, 0, 100)).toEqual([]);
    const listed = await store().listRuns({ workspaceId: place.workspaceId, limit: 10, offset: 0 });
    expect([listed.total, listed.runs.map(({ id }) => id).toSorted()]).toEqual([2, [ongoing.id, other.id].toSorted()]);
    expect(await store().listAudit(place.workspaceId, 10)).toMatchObject([{ event: "run.deleted", runId: run.id }]);
  });

  test("a journal longer than a batch goes in several, none larger than its limit", async () => {
    const place = await publishSample(store());
    const run = await endedRun(store(), place, noon, 25);
    const batches = await deleteAll(store(), "journals", noon + 1, 10);
    expect(batches.slice(0, 3)).toEqual([10, 10, 5]);
    expect(await store().readJournal(run.id, 0, 10)).toEqual([]);
    expect((await getRun(store(), run)).seq).toBe(25);
    expect(Math.max(...(await deleteAll(store(), "runs", noon + 1, 10)))).toBeLessThanOrEqual(10);
    expect(await store().findRun(place.workspaceId, run.id)).toBeNull();
  });

  test("free pages are given back until none is left", async () => {
    const place = await publishSample(store());
    for (const _ of range(5)) await endedRun(store(), place, noon, 400);
    await deleteAll(store(), "runs", noon + 1, 1000);
    const left: number[] = [];
    do left.push(await store().reclaimSpace(5));
    while (left.at(-1) !== 0);
    expect(left.length).toBeGreaterThan(2);
  });
}
