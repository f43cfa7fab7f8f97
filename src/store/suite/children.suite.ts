import { describe, expect, it } from "vitest";
import { claimSampleRun, createSampleRun, noon, publishSample, sampleCommit, sampleId, sampleRun } from "./samples.ts";
import { type OpenStore, useStore } from "./use-store.ts";

/** The part of the store's promise that is about runs that start runs, and about files. */
export function testChildren(open: OpenStore): void {
  const store = useStore(open);

  describe("runs that steps of runs start", () => {
    it("starts one child a step, none under a run that is over, and none too deep", async () => {
      const place = await publishSample(store());
      const above = await claimSampleRun(store(), await createSampleRun(store(), place));
      const parent = { runId: above.id, step: "call", maxDepth: 1 };
      const child = await createSampleRun(store(), place, { parent });
      expect(await store().createRun(sampleRun(place, { parent }))).toEqual({ kind: "repeated", runId: child.id });
      expect(await store().listChildren(above.id)).toEqual([{ runId: child.id, step: "call", status: "accepted" }]);
      expect(await store().listChildren(above.id, "other")).toEqual([]);
      expect(await store().findParent(child.id)).toEqual({ runId: above.id, step: "call" });
      const below = { runId: child.id, step: "call", maxDepth: 1 };
      expect(await store().createRun(sampleRun(place, { parent: below }))).toEqual({ kind: "too_deep" });
      await store().commitRun(sampleCommit(above, { status: "failed" }));
      const late = { runId: above.id, step: "late", maxDepth: 1 };
      expect(await store().createRun(sampleRun(place, { parent: late }))).toEqual({ kind: "parent_over" });
    });

    it("leaves moments for the parent of a run that ends, and for its open children", async () => {
      const place = await publishSample(store());
      const above = await claimSampleRun(store(), await createSampleRun(store(), place));
      const parent = { runId: above.id, step: "call", maxDepth: 5 };
      const child = await claimSampleRun(store(), await createSampleRun(store(), place, { parent }));
      await store().commitRun(sampleCommit(above, { status: "cancelled" }));
      await store().commitRun(sampleCommit(child, { status: "cancelled" }));
      expect(await store().listRunDue(above.id)).toMatchObject([{ kind: "end_children", owner: "", at: noon }]);
      expect(await store().listRunDue(child.id)).toMatchObject([{ kind: "child_ended", owner: above.id, at: noon }]);
    });
  });

  describe("files", () => {
    it("keeps a file while a run uses it, and tells which bytes nobody has any more", async () => {
      const place = await publishSample(store());
      const run = await claimSampleRun(store(), await createSampleRun(store(), place));
      const file = {
        id: sampleId(),
        workspaceId: place.workspaceId,
        digest: "d1",
        name: "a",
        size: 1,
        mime: "text/plain",
      };
      await store().addFile({ ...file, createdAt: noon, runId: run.id });
      await store().addFile({ ...file, id: sampleId(), createdAt: noon, runId: sampleId() });
      expect(await store().listRunFiles(run.id)).toMatchObject([{ id: file.id, digest: "d1" }]);
      expect(await store().findFile(place.workspaceId + 1, file.id)).toBe(null);
      const expiry = { before: noon + 1, limit: 10 };
      // The other one has the same bytes.
      expect(await store().deleteUnusedFiles(expiry)).toEqual({ deleted: 1, digests: [] });
      const replay = await createSampleRun(store(), place);
      await store().noteFileUse({ fileId: file.id, runId: replay.id });
      expect(await store().deleteUnusedFiles(expiry)).toEqual({ deleted: 0, digests: [] });
      expect(await store().listRunFiles(replay.id)).toHaveLength(1);
    });
  });
}
