import * as z from "zod";
import { ApiError } from "../../contract/errors.ts";
import { workflowDetail } from "../../contract/workflow-api.ts";
import { hideSecrets } from "../../engine/definition/definition-secrets.ts";
import { presentVersion, presentWorkflow } from "../../engine/presentation/present-workflow.ts";
import { requireDraft, requireWorkflow } from "../../engine/definition/require-workflow.ts";
import { defineToolOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";
import { workflowId } from "./workflow-id.ts";

export const getWorkflow = defineToolOperation({
  name: "getWorkflow",
  tool: {
    name: "get_workflow",
    description:
      "Returns a workflow with its draft's definition and revision, and its versions, the newest first. With `version` " +
      "the definition is that version's. Read it before update_workflow. list_workflows gives the workflow_id.",
    hints: readsOnly,
  },
  title: "Get a workflow",
  scope: "workflows:read",
  input: z.object({ workflow_id: workflowId, version: z.int().min(1).optional().describe("A published version") }),
  output: workflowDetail,
  async handle({ services: { store }, caller }, { workflow_id: id, version }) {
    const workflow = await requireWorkflow(store, caller.workspaceId, id);
    const draft = await requireDraft(store, workflow);
    const versions = await store.listVersions(workflow.id);
    const published = version === undefined ? null : await store.findVersion(workflow.id, version);
    if (version !== undefined && !published) {
      const known = versions.length === 0 ? "it has none yet" : `the newest is ${versions[0]?.version}`;
      throw new ApiError("VERSION_NOT_FOUND", `The workflow has no version ${version}; ${known}`);
    }
    const deployedVersion = versions.find(({ status }) => status === "deployed")?.version ?? null;
    return {
      ...presentWorkflow({ ...workflow, revision: draft.revision, deployedVersion }),
      definition: hideSecrets(published?.definition ?? draft.definition),
      definition_version: published?.version ?? null,
      versions: versions.map(presentVersion),
    };
  },
});
