import { describe, expect, test } from "vitest";
import { createSampleRun, getRun, noon, publishSample, sampleClaim, sampleCommit, sampleEvent } from "./samples.ts";
import { type OpenStore, useStore } from "./use-store.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

export function testSealed(open: OpenStore): void {
  const store = useStore(open);

  test("originals of input, events and result are found at their places, and nowhere else", async () => {
    const place = await publishSample(store());
    const run = await createSampleRun(store(), place, { sealed: [{ place: "input", content: bytes(1) }] });
    const other = await createSampleRun(store(), place);
    await store().commitRun(
      sampleClaim(run, {
        events: [sampleEvent(), sampleEvent({ isRedacted: true }), sampleEvent({ isRedacted: true })],
        sealed: [
          { place: 2, content: bytes(2) },
          { place: 3, content: bytes(3, 3) },
          { place: "result", content: bytes(9) },
        ],
        status: "succeeded",
      }),
    );
    const find = async (id: string, at: "input" | "result" | number) => {
      const found = await store().findSealed(id, at);
      return found && [...found.content];
    };
    expect(await find(run.id, "input")).toEqual([1]);
    expect(await find(run.id, 1)).toBeNull();
    expect(await find(run.id, 3)).toEqual([3, 3]);
    expect(await find(run.id, "result")).toEqual([9]);
    const listed = await store().listSealed(run.id, 0, 2);
    expect(listed.map(({ place: at, content }) => [at, [...content]])).toEqual([[2, [2]]]);
    expect(await store().listSealed(other.id, 0, 1000)).toEqual([]);
    expect((await store().readJournal(run.id, 0, 10)).map((event) => event.isRedacted ?? false)).toEqual([
      false,
      true,
      true,
    ]);
    const ended = await getRun(store(), run);
    expect([ended.isInputRedacted, ended.isResultRedacted]).toEqual([true, true]);
    expect((await getRun(store(), other)).isInputRedacted).toBe(false);
  });

  test("a commit that the fence refuses leaves no originals", async () => {
    const run = await createSampleRun(store(), await publishSample(store()));
    const lost = sampleCommit(run, { epoch: 7, events: [sampleEvent()], sealed: [{ place: 1, content: bytes(1) }] });
    expect(await store().commitRun(lost)).toBe(false);
    expect(await store().findSealed(run.id, 1)).toBeNull();
  });

  describe("a replay", () => {
    test("is born with the events that it takes over, their originals and its audit entry", async () => {
      const place = await publishSample(store());
      const original = await createSampleRun(store(), place);
      const events = [
        sampleEvent({ isCopied: true }),
        sampleEvent({ type: "step_completed", isCopied: true, isRedacted: true }),
      ];
      const audit = {
        workspaceId: place.workspaceId,
        event: "run.replayed",
        decision: null,
        runId: original.id,
        approvalId: null,
        userId: "ada",
        decidedVia: null,
        comment: null,
        createdAt: noon,
      };
      const run = await createSampleRun(store(), place, {
        source: "replay",
        sealed: [{ place: 2, content: bytes(2) }],
        replay: { of: original.id, events, audit },
      });
      expect([run.seq, run.resumeFromRunId]).toEqual([2, original.id]);
      expect(await getRun(store(), run)).toEqual(run);
      const journal = await store().readJournal(run.id, 0, 10);
      expect(journal.map(({ seq, isCopied }) => [seq, isCopied])).toEqual([
        [1, true],
        [2, true],
      ]);
      expect([...((await store().findSealed(run.id, 2))?.content ?? [])]).toEqual([2]);
      const [entry] = await store().listAudit(place.workspaceId, 1);
      expect(entry).toMatchObject({ event: "run.replayed", runId: original.id });
      expect(await store().commitRun(sampleClaim(run, { events: [sampleEvent()] }))).toBe(true);
    });
  });
}
