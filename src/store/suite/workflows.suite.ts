import { describe, expect, test } from "vitest";
import type { PublishVersion } from "../store.ts";
import { defaultWorkspaceId, noon, range, samplePublish } from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

/** Promises of `WorkflowStore`. */
export function testWorkflows(open: OpenStore): void {
  const store = useStore(open);

  async function publish(changes: Partial<PublishVersion> = {}) {
    const input = samplePublish({ workspaceId: await defaultWorkspaceId(store()), ...changes });
    return { input, ...(await store().publishVersion(input)) };
  }

  describe("publishing", () => {
    test("the first publish makes workflow, version 1 and action", async () => {
      const { input, ...published } = await publish({ sourcePath: "workflows/refund.yaml", outputSchema: { a: 1 } });
      const { workspaceId, newWorkflowId: workflowId, versionId } = input;
      expect(published).toEqual({ workflowId, versionId, version: 1, archivedVersion: null });
      expect(await store().findWorkflow(workspaceId, { id: workflowId })).toEqual({
        id: workflowId,
        workspaceId,
        name: "Refund an order",
        slug: "refund",
        type: "callable",
        description: null,
        sourcePath: "workflows/refund.yaml",
        createdAt: noon,
        updatedAt: noon,
        deletedAt: null,
      });
      const { definition, inputSchema, outputSchema } = input;
      const release = { id: versionId, version: 1, publishedAt: noon, inputSchema, outputSchema };
      expect(await store().findDeployedVersion(workflowId)).toEqual({
        ...release,
        workflowId,
        status: "deployed",
        definition,
      });
      expect(await store().findAction(workspaceId, "refund")).toMatchObject({
        slug: "refund",
        status: "active",
        approvalPolicy: "never",
        workflowId,
        release,
      });
    });

    test("the next publish archives the version that ran and tells its number", async () => {
      const first = await publish();
      const second = await publish({ workflowId: first.workflowId, at: noon + 1 });
      expect(second).toMatchObject({ workflowId: first.workflowId, version: 2, archivedVersion: 1 });
      expect(await store().getVersion(first.versionId)).toMatchObject({ version: 1, status: "archived" });
      expect(await store().findDeployedVersion(first.workflowId)).toMatchObject({ id: second.versionId });
      expect(await store().findWorkflow(first.input.workspaceId, { slug: "refund" })).toMatchObject({
        createdAt: noon,
        updatedAt: noon + 1,
      });
    });

    test("each publish brings the action and the workflow up to date", async () => {
      const { workflowId, input } = await publish({ sourcePath: "a.yaml" });
      const definition = {
        ...input.definition,
        name: "Refund",
        description: "Refunds.",
        approval_policy: "always" as const,
      };
      await publish({ workflowId, definition, slug: null, at: noon + 1 });
      expect(await store().findAction(input.workspaceId, "refund")).toMatchObject({
        name: "Refund",
        description: "Refunds.",
        approvalPolicy: "always",
        createdAt: noon,
        updatedAt: noon + 1,
      });
      expect(await store().findWorkflow(input.workspaceId, { sourcePath: "a.yaml" })).toMatchObject({
        name: "Refund",
        description: "Refunds.",
      });
    });

    test("an event-driven workflow has no action and is found by its name", async () => {
      const { workflowId, input } = await publish({ type: "event_driven", slug: null });
      const name = input.definition.name;
      expect(await store().listActions(input.workspaceId, ["active"])).toEqual([]);
      expect(await store().findWorkflow(input.workspaceId, { name, type: "event_driven" })).toMatchObject({
        id: workflowId,
        slug: null,
      });
      expect(await store().findWorkflow(input.workspaceId, { name, type: "callable" })).toBeNull();
    });

    test("the slug of another workflow is refused and nothing is left behind", async () => {
      const first = await publish();
      const taken = publish({ sourcePath: "thief.yaml" });
      await expect(taken).rejects.toMatchObject({ code: "SLUG_TAKEN", message: expect.stringContaining("refund") });
      const other = await publish({ slug: "other" });
      const moved = publish({ workflowId: other.workflowId, slug: "refund" });
      await expect(moved).rejects.toMatchObject({ code: "SLUG_TAKEN" });
      expect(await store().findWorkflow(first.input.workspaceId, { sourcePath: "thief.yaml" })).toBeNull();
      expect(await store().findDeployedVersion(other.workflowId)).toMatchObject({ id: other.versionId, version: 1 });
    });

    test("an action keeps its slug for good", async () => {
      const { workflowId, versionId } = await publish();
      await expect(publish({ workflowId, slug: "rebate" })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        message: "An action's slug cannot be changed",
      });
      expect(await store().findDeployedVersion(workflowId)).toMatchObject({ id: versionId });
    });

    test("a workflow that does not exist cannot get a version", async () => {
      await expect(publish({ workflowId: "unknown" })).rejects.toMatchObject({ code: "WORKFLOW_NOT_FOUND" });
      const { workflowId } = await publish();
      await expect(publish({ workflowId, workspaceId: 4711 })).rejects.toMatchObject({ code: "WORKFLOW_NOT_FOUND" });
    });

    test("publishes at the same time get numbers of their own, and one version is deployed", async () => {
      const { workflowId } = await publish();
      const published = await Promise.all(range(16).map(() => publish({ workflowId })));
      expect(published.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(range(16).map((n) => n + 2));
      const states = await Promise.all(published.map(({ versionId }) => store().getVersion(versionId)));
      expect(states.filter((state) => state?.status === "deployed")).toMatchObject([{ version: 17 }]);
    });

    test("a definition keeps its odd keys", async () => {
      const data = JSON.parse('{"__proto__": {"polluted": true}, "constructor": [null, 1.5, "ü"]}');
      const nodes = [{ id: "a", type: "noop", data }];
      const { versionId, input } = await publish({
        definition: { name: "Odd", approval_policy: "never", nodes, edges: [] },
      });
      const version = await store().getVersion(versionId);
      expect(JSON.stringify(version?.definition)).toBe(JSON.stringify(input.definition));
    });
  });

  describe("reading", () => {
    test("another workspace sees nothing", async () => {
      const { workflowId, input } = await publish({ sourcePath: "a.yaml" });
      const by = [{ id: workflowId }, { slug: "refund" }, { sourcePath: "a.yaml" }];
      for (const key of by) expect(await store().findWorkflow(4711, key)).toBeNull();
      expect(await store().findWorkflow(4711, { name: input.definition.name, type: "callable" })).toBeNull();
      expect(await store().findAction(4711, "refund")).toBeNull();
      expect(await store().listActions(4711, ["active"])).toEqual([]);
    });

    test("actions are listed by slug, of the statuses asked for", async () => {
      for (const slug of ["b", "c", "a"]) await publish({ slug });
      const workspaceId = await defaultWorkspaceId(store());
      const listed = await store().listActions(workspaceId, ["active", "paused"]);
      expect(listed.map(({ slug }) => slug)).toEqual(["a", "b", "c"]);
      expect(await store().listActions(workspaceId, ["archived"])).toEqual([]);
    });

    test("of two workflows from one path the one published last is found", async () => {
      await publish({ slug: "old", sourcePath: "a.yaml" });
      const { workflowId, input } = await publish({ slug: "new", sourcePath: "a.yaml", at: noon + 1 });
      expect(await store().findWorkflow(input.workspaceId, { sourcePath: "a.yaml" })).toMatchObject({ id: workflowId });
    });

    test("what does not exist is null", async () => {
      expect(await store().findDeployedVersion("unknown")).toBeNull();
      expect(await store().getVersion("unknown")).toBeNull();
    });
  });
}
