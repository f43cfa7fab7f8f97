import type { WorkflowDefinition, WorkflowType } from "../../contract/workflow.ts";
import type { PublishVersion } from "../../store/store.ts";
import { deriveInputSchema, deriveOutputSchema } from "./derive-schemas.ts";
import type { World } from "../world.ts";

type FrozenVersion = Omit<PublishVersion, "workspaceId" | "workflowId" | "slug" | "sourcePath">;

/** What a publish makes of a definition: schemas frozen for a callable workflow (spec 2.3), ids, the time. */
export function freezeVersion(world: World, definition: WorkflowDefinition, type: WorkflowType): FrozenVersion {
  return {
    newWorkflowId: world.newId(),
    versionId: world.newId(),
    definition,
    type,
    inputSchema: type === "callable" ? deriveInputSchema(definition) : null,
    outputSchema: type === "callable" ? deriveOutputSchema(definition) : null,
    at: world.now().getTime(),
  };
}
