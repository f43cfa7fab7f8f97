import { describe, expect, test } from "vitest";
import type { NewWorkflow, PublishVersion, SaveDraft } from "../store.ts";
import { createSampleRun, defaultWorkspaceId, noon, publishSample, range, sampleId, samplePublish } from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

/** Promises of `WorkflowStore` about drafts, and about workflows that come and go. */
export function testDrafts(open: OpenStore): void {
  const store = useStore(open);
  const { definition } = samplePublish();

  async function create(changes: Partial<NewWorkflow> = {}): Promise<{ workspaceId: number; id: string }> {
    const workspaceId = await defaultWorkspaceId(store());
    const input = { id: sampleId(), workspaceId, definition, type: "callable" as const, at: noon, ...changes };
    await store().createWorkflow(input);
    return input;
  }

  async function publish(changes: Partial<PublishVersion>) {
    return store().publishVersion(samplePublish({ workspaceId: await defaultWorkspaceId(store()), ...changes }));
  }

  function save(
    { workspaceId, id: workflowId }: { workspaceId: number; id: string },
    changes: Partial<SaveDraft> = {},
  ) {
    const renamed = { ...definition, name: "Renamed", description: "New." };
    return store().saveDraft({
      workspaceId,
      workflowId,
      definition: renamed,
      expectedRevision: null,
      at: noon + 1,
      ...changes,
    });
  }

  describe("a draft", () => {
    test("is all that a new workflow has", async () => {
      const { workspaceId, id } = await create();
      expect(await store().findDraft(id)).toEqual({ revision: 1, definition });
      expect(await store().findDeployedVersion(id)).toBeNull();
      expect(await store().listVersions(id)).toEqual([]);
      expect(await store().listActions(workspaceId, ["active"])).toEqual([]);
      const listed = { id, name: definition.name, slug: null, revision: 1, deployedVersion: null };
      expect(await store().listWorkflows(workspaceId)).toMatchObject([listed]);
    });

    test("counts its changes, and tells its workflow's name and description", async () => {
      const workflow = await create();
      expect(await save(workflow)).toEqual({ kind: "saved", revision: 2 });
      expect(await save(workflow)).toEqual({ kind: "saved", revision: 2 });
      expect(await store().findWorkflow(workflow.workspaceId, { id: workflow.id })).toMatchObject({
        name: "Renamed",
        description: "New.",
        updatedAt: noon + 1,
      });
    });

    test("of callers who saw the same revision one saves", async () => {
      const workflow = await create();
      const saved = await Promise.all(
        range(8).map((n) => save(workflow, { definition: { ...definition, name: `N${n}` }, expectedRevision: 1 })),
      );
      expect(saved.filter(({ kind }) => kind === "saved")).toEqual([{ kind: "saved", revision: 2 }]);
      expect(saved.filter(({ kind }) => kind === "conflict")).toHaveLength(7);
    });

    test("of an unknown, a foreign or a deleted workflow is missing", async () => {
      const { workspaceId, id } = await create();
      expect(await save({ workspaceId, id: "unknown" })).toEqual({ kind: "missing" });
      expect(await save({ workspaceId: 4711, id })).toEqual({ kind: "missing" });
      await store().deleteWorkflow({ workspaceId, workflowId: id, at: noon });
      expect(await save({ workspaceId, id })).toEqual({ kind: "missing" });
      expect(await store().findDraft("unknown")).toBeNull();
    });

    test("is what was published last", async () => {
      const { workflowId } = await publish({});
      expect(await store().findDraft(workflowId)).toEqual({ revision: 1, definition });
      const next = { ...definition, name: "Next" };
      await publish({ workflowId, definition: next });
      expect(await store().findDraft(workflowId)).toEqual({ revision: 2, definition: next });
      await publish({ workflowId, definition: next });
      expect(await store().findDraft(workflowId)).toMatchObject({ revision: 2 });
    });
  });

  describe("publishing what was seen", () => {
    test("fails when the draft or the deployed version is another one by now, and leaves no entry", async () => {
      const { workflowId, versionId } = await publish({});
      const workspaceId = await defaultWorkspaceId(store());
      const entry = { decision: null, runId: null, approvalId: null, userId: "ada", decidedVia: "api" as const };
      const audit = { ...entry, workspaceId, event: "gate.weakened", comment: "gone", createdAt: noon };
      for (const seen of [
        { revision: 2, deployedVersionId: versionId },
        { revision: 1, deployedVersionId: "another" },
        { revision: 1, deployedVersionId: null },
      ]) {
        await expect(publish({ workflowId, seen, audit })).rejects.toMatchObject({ code: "CONFLICT" });
      }
      expect(await store().listAudit(workspaceId, 10)).toEqual([]);
      expect(await store().listVersions(workflowId)).toHaveLength(1);
      const seen = { revision: 1, deployedVersionId: versionId };
      expect(await publish({ workflowId, seen, audit })).toMatchObject({ version: 2 });
      expect(await store().listAudit(workspaceId, 10)).toMatchObject([{ event: "gate.weakened", comment: "gone" }]);
    });

    test("a workflow's versions are listed and found by number", async () => {
      const { workflowId, versionId } = await publish({});
      await publish({ workflowId, at: noon + 1 });
      expect(await store().listVersions(workflowId)).toMatchObject([
        { version: 2, status: "deployed", publishedAt: noon + 1 },
        { id: versionId, version: 1, status: "archived", publishedAt: noon },
      ]);
      expect(await store().findVersion(workflowId, 1)).toMatchObject({ id: versionId, definition });
      expect(await store().findVersion(workflowId, 3)).toBeNull();
    });
  });

  describe("deleting", () => {
    test("takes workflow and action away once, and its runs go on", async () => {
      const place = await publishSample(store());
      const { workspaceId, workflowId } = place;
      const run = await createSampleRun(store(), place);
      const deletion = { workspaceId, workflowId, at: noon + 1 };
      expect(await store().deleteWorkflow({ ...deletion, workspaceId: 4711 })).toBeNull();
      expect(await store().deleteWorkflow(deletion)).toEqual({ actionSlug: "refund" });
      expect(await store().deleteWorkflow(deletion)).toBeNull();
      expect(await store().findAction(workspaceId, "refund")).toBeNull();
      expect(await store().listWorkflows(workspaceId)).toEqual([]);
      expect(await store().findWorkflow(workspaceId, { id: workflowId })).toMatchObject({ deletedAt: noon + 1 });
      expect(await store().findRun(workspaceId, run.id)).toMatchObject({ status: "accepted", workflowId });
    });

    test("is undone by publishing the slug, from a file or from another workflow's draft, which goes into it", async () => {
      const { workspaceId, workflowId } = await publishSample(store());
      await store().deleteWorkflow({ workspaceId, workflowId, at: noon });
      expect(await publish({})).toMatchObject({ workflowId, version: 2, archivedVersion: 1 });
      await store().deleteWorkflow({ workspaceId, workflowId, at: noon });
      const draft = await create();
      expect(await publish({ workflowId: draft.id })).toMatchObject({ workflowId, version: 3, archivedVersion: 2 });
      expect(await store().findWorkflow(workspaceId, { id: draft.id })).toBeNull();
      expect(await store().findDraft(draft.id)).toBeNull();
      expect(await store().listWorkflows(workspaceId)).toMatchObject([{ id: workflowId, deployedVersion: 3 }]);
    });

    test("a workflow that has versions stays itself", async () => {
      const { workspaceId, workflowId } = await publishSample(store());
      const other = await publish({ slug: "other" });
      await store().deleteWorkflow({ workspaceId, workflowId, at: noon });
      await expect(publish({ workflowId: other.workflowId })).rejects.toMatchObject({ code: "SLUG_TAKEN" });
    });
  });

  test("workflows are listed by name, those of the workspace alone", async () => {
    for (const name of ["b", "a", "c"]) await create({ definition: { ...definition, name } });
    const workspaceId = await defaultWorkspaceId(store());
    expect((await store().listWorkflows(workspaceId)).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(await store().listWorkflows(4711)).toEqual([]);
  });
}
