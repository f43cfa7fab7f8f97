import { ApiError } from "../contract/errors.ts";
import type { Issue, WorkflowDefinition, WorkflowType } from "../contract/workflow.ts";
import { readDefinition } from "./definition/definition-shape.ts";
import { deriveType } from "./definition/derive-schemas.ts";
import { errorAt } from "./definition/issue.ts";
import { saveDefinition } from "./definition/parse-workflow.ts";
import { missingWorkflow, requireDraft, requireWorkflow } from "./definition/require-workflow.ts";
import { isRefused, reviewDefinition, summarizeIssues } from "./definition/review-definition.ts";
import type { Services } from "./services.ts";
import { sealLiterals, separateSecrets } from "./separate-secrets.ts";

/** What a caller gives of a definition; what is absent stays as it is. */
export type DefinitionChange = {
  definition?: { readonly [key: string]: unknown } | undefined;
  name?: string | undefined;
  description?: string | undefined;
};

export type CreateWorkflow = DefinitionChange & { workspaceId: number; validateOnly: boolean };
export type UpdateWorkflow = CreateWorkflow & { workflowId: string; expectedRevision: number | null };

/** A draft that was saved or only checked; `workflowId` and `revision` are null for one that was not created. */
export type SaveOutcome = {
  workflowId: string | null;
  type: WorkflowType | null;
  revision: number | null;
  /** What publishing would say. */
  issues: Issue[];
};

type Reviewed = {
  /** Null when saving refuses it. */
  definition: WorkflowDefinition | null;
  type: WorkflowType | null;
  issues: Issue[];
};

/**
 * Makes a workflow that is only a draft. Throws BAD_REQUEST with every issue for a definition that saving refuses; with
 * `validateOnly` that is an answer, and nothing is stored.
 */
export async function createWorkflow(services: Services, request: CreateWorkflow): Promise<SaveOutcome> {
  const { definition, type, issues } = await review(services, request.workspaceId, mergeDefinition({}, request), null);
  if (request.validateOnly) return { workflowId: null, type, revision: null, issues };
  if (!definition || !type) throw refusal(issues);
  const { workspaceId } = request;
  const { store, world, values } = services;
  const id = world.newId();
  const separated = separateSecrets(services, workspaceId, null, definition, []);
  issues.push(...separated.issues);
  const webhookSecrets = sealLiterals(services, workspaceId, id, separated.literals, ["draft"]);
  const stored = { definition: separated.definition, webhookSecrets };
  await store.createWorkflow({ id, workspaceId, ...stored, type, at: world.now().getTime() });
  await values.refresh(workspaceId);
  return { workflowId: id, type, revision: 1, issues };
}

/** How often a change is made anew to a draft that others saved first: of several at once one succeeds each time. */
const maxAttempts = 20;

/**
 * Saves a workflow's draft; what runs stays as it is until the next deploy. Throws WORKFLOW_NOT_FOUND, CONFLICT when the
 * draft is at another revision than the caller expects, and what `createWorkflow` throws.
 */
export async function updateWorkflow(services: Services, request: UpdateWorkflow): Promise<SaveOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await updateOnce(services, request);
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.code === "CONFLICT" && request.expectedRevision === null;
      if (!isOvertaken || attempt === maxAttempts) throw error;
    }
  }
}

async function updateOnce(services: Services, request: UpdateWorkflow): Promise<SaveOutcome> {
  const { store, world } = services;
  const { workspaceId, expectedRevision } = request;
  const workflow = await requireWorkflow(store, workspaceId, request.workflowId);
  const workflowId = workflow.id;
  const draft = await requireDraft(store, workflow);
  assertRevision(expectedRevision, draft.revision);
  const merged = mergeDefinition(draft.definition, request);
  const { definition: next, issues } = await review(services, workspaceId, merged, workflow.type);
  issues.unshift(...checkSlug(merged["slug"], workflow.slug));
  const outcome = { workflowId, type: workflow.type, issues };
  if (request.validateOnly) return { ...outcome, revision: draft.revision };
  if (!next) throw refusal(issues);
  const { definition, literals, ...secrets } = separateSecrets(services, workspaceId, workflowId, next, ["draft"]);
  issues.push(...secrets.issues);
  const webhookSecrets = sealLiterals(services, workspaceId, workflowId, literals, ["draft"]);
  // The change was made to this draft: another one must not get lost, whether or not the caller knows of revisions.
  const stored = { definition, webhookSecrets, expectedRevision: draft.revision };
  const saved = await store.saveDraft({ workspaceId, workflowId, ...stored, at: world.now().getTime() });
  if (saved.kind === "missing") throw missingWorkflow(workflowId);
  if (saved.kind === "conflict") throw otherRevision(draft.revision, saved.revision);
  await services.values.refresh(workspaceId);
  return { ...outcome, revision: saved.revision };
}

function mergeDefinition(
  current: object,
  { definition, name, description }: DefinitionChange,
): Record<string, unknown> {
  return {
    ...current,
    ...definition,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  };
}

/** Reads a definition and says everything that saving and publishing find; `type` is what its workflow has to stay. */
async function review(
  services: Services,
  workspaceId: number,
  value: unknown,
  type: WorkflowType | null,
): Promise<Reviewed> {
  const saved = saveDefinition(value).definition;
  const read = readDefinition(value);
  const issues = [
    ...read.issues,
    ...(read.definition ? await reviewDefinition(services, workspaceId, read.definition) : []),
  ];
  const derived = saved && deriveType(saved);
  if (type === null || derived === null || derived === type) return { definition: saved, type: derived, issues };
  const message = `The workflow is ${type}; a later save can't make it ${derived}. Create another workflow for that`;
  return { definition: null, type, issues: [errorAt({ path: "/nodes" }, "type_changed", message), ...issues] };
}

/** The draft may say another slug than its action has, but can't be published then. */
function checkSlug(slug: unknown, actionSlug: string | null): Issue[] {
  if (actionSlug === null || slug === undefined || slug === actionSlug) return [];
  const message = `An action's slug cannot be changed: it is ${actionSlug}`;
  return [errorAt({ path: "/slug" }, "slug_changed", message)];
}

function refusal(issues: readonly Issue[]): ApiError {
  const details = issues.map((issue) => ({ field: `definition${issue.path.replaceAll("/", ".")}`, ...issue }));
  const errors = issues.filter(({ severity }) => severity === "error");
  return new ApiError("BAD_REQUEST", `The definition can't be saved: ${summarizeIssues(errors)}`, { details });
}

function assertRevision(expected: number | null, revision: number): void {
  if (expected !== null && expected !== revision) throw otherRevision(expected, revision);
}

function otherRevision(expected: number, revision: number): ApiError {
  const message = `The workflow is at revision ${revision}, not ${expected}: read it with get_workflow and make the change to that`;
  return new ApiError("CONFLICT", message, { details: [{ field: "expected_revision", revision }] });
}

/** Issues parted as answers show them. */
export function partIssues(issues: readonly Issue[]): { valid: boolean; errors: Issue[]; warnings: Issue[] } {
  return {
    valid: !isRefused(issues),
    errors: issues.filter(({ severity }) => severity === "error"),
    warnings: issues.filter(({ severity }) => severity === "warning"),
  };
}
