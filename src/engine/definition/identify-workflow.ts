import type { Issue, WorkflowDefinition, WorkflowType } from "../../contract/workflow.ts";
import type { Store, WorkflowRecord } from "../../store/store.ts";
import { deriveType } from "./derive-schemas.ts";

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
  const { id } = request;
  const workflow = await findByIdentity(store, request, type);
  if (id && !workflow)
    return refuse("unknown_id", `No workflow has the id ${id}; leave the id out to make a new one`, "/id");
  if (request.renameFrom !== null && !workflow)
    return refuse("unknown_workflow", nothingToRename(request.renameFrom), "");
  if (workflow && workflow.type !== type) {
    return refuse("type_changed", `The workflow is ${workflow.type}; a later version can't make it ${type}`, "/nodes");
  }
  if (workflow) return (await checkNewName(store, request, workflow)) ?? { workflow, issues: [] };
  return request.asNew ? { workflow, issues: [] } : checkPath(store, request, type);
}

/** Whether a workflow that exists may have the name that its file gives it now. */
async function checkNewName(
  store: Store,
  { workspaceId, definition: { name, slug } }: IdentityRequest,
  workflow: WorkflowRecord,
): Promise<{ workflow: null; issues: Issue[] } | null> {
  if (workflow.type === "callable") {
    const isKept = workflow.slug === null || slug === undefined || slug === workflow.slug;
    return isKept ? null : refuse("slug_changed", "An action's slug cannot be changed", "/slug");
  }
  if (name === workflow.name) return null;
  const other = await store.findWorkflow(workspaceId, { name, type: workflow.type });
  if (!other || other.id === workflow.id || other.deletedAt !== null) return null;
  return refuse("name_taken", `The name ${name} belongs to another workflow; choose a different one`, "/name");
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

/** The slug that a callable workflow lacks: without one nobody can tell which workflow it is (contract 18). */
export function checkSlug({ definition, id }: Pick<IdentityRequest, "definition" | "id">): Issue[] {
  if (deriveType(definition) !== "callable" || definition.slug || id) return [];
  const message = "A callable workflow needs a slug: add `slug:` to the file, or publish it with --slug";
  return refuse("slug_missing", message, "/slug").issues;
}

function nothingToRename(renameFrom: string): string {
  return `There is no workflow ${renameFrom} to rename; --rename-from takes the slug or name that it had until now`;
}

/** By the name that it had, where one is given; what was renamed already is found under its new one. */
async function findByIdentity(
  store: Store,
  { workspaceId, definition, id, renameFrom }: IdentityRequest,
  type: WorkflowType,
): Promise<WorkflowRecord | null> {
  if (id) return store.findWorkflow(workspaceId, { id });
  const name = type === "callable" ? definition.slug : definition.name;
  for (const known of [renameFrom, name]) {
    const found =
      known && (await store.findWorkflow(workspaceId, type === "callable" ? { slug: known } : { name: known, type }));
    if (found) return found;
  }
  return null;
}

function refuse(code: string, message: string, path: string): { workflow: null; issues: Issue[] } {
  return { workflow: null, issues: [{ severity: "error", code, message, path, line: null, column: null }] };
}
