import type { Issue, WorkflowDefinition, WorkflowType } from "../../contract/workflow.ts";
import type { Store, WorkflowRecord } from "../../store/store.ts";

export type IdentityRequest = {
  workspaceId: number;
  definition: WorkflowDefinition;
  id: string | null;
  sourcePath: string | null;
  asNew: boolean;
  renameFrom: string | null;
};

/**
 * Which workflow a definition is the next version of: by its file's `id`, else by slug (callable) or name
 * (event-driven); null is a new one. A new identity from a path that is known for another is refused unless the caller
 * says which it is (contract 2).
 */
export async function identifyWorkflow(
  store: Store,
  request: IdentityRequest,
  type: WorkflowType,
): Promise<{ workflow: WorkflowRecord | null; issues: Issue[] }> {
  const { definition, id } = request;
  if (type === "callable" && !definition.slug && !id) return refuse("slug_missing", slugMissing, "/slug");
  const workflow = await findByIdentity(store, request, type);
  if (id && !workflow)
    return refuse("unknown_id", `No workflow has the id ${id}; leave the id out to make a new one`, "/id");
  if (workflow && workflow.type !== type) {
    return refuse("type_changed", `The workflow is ${workflow.type}; a later version can't make it ${type}`, "/nodes");
  }
  return workflow || request.asNew ? { workflow, issues: [] } : checkPath(store, request, type);
}

/** Whether a new workflow comes from a file that is known for another one. */
async function checkPath(
  store: Store,
  { workspaceId, sourcePath }: IdentityRequest,
  type: WorkflowType,
): Promise<{ workflow: null; issues: Issue[] }> {
  const known = sourcePath === null ? null : await store.findWorkflow(workspaceId, { sourcePath });
  if (!known || known.deletedAt !== null) return { workflow: null, issues: [] };
  const before = known.slug ?? known.name;
  const message = `This file published ${before} before. Say --rename-from ${before} if it is the same workflow under a new name, or --as-new if it is another one`;
  return refuse("renamed_workflow", message, type === "callable" ? "/slug" : "/name");
}

const slugMissing = "A callable workflow needs a slug: add `slug:` to the file, or publish it with --slug";

async function findByIdentity(
  store: Store,
  { workspaceId, definition, id, renameFrom }: IdentityRequest,
  type: WorkflowType,
): Promise<WorkflowRecord | null> {
  if (id) return store.findWorkflow(workspaceId, { id });
  const slug = renameFrom ?? definition.slug;
  if (type === "callable") return slug ? store.findWorkflow(workspaceId, { slug }) : null;
  return store.findWorkflow(workspaceId, { name: renameFrom ?? definition.name, type });
}

function refuse(code: string, message: string, path: string): { workflow: null; issues: Issue[] } {
  return { workflow: null, issues: [{ severity: "error", code, message, path, line: null, column: null }] };
}
