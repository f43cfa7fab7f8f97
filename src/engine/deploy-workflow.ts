import type { ApprovalPolicy } from "../contract/action.ts";
import type { DecidedVia } from "../contract/approval.ts";
import { ApiError } from "../contract/errors.ts";
import type { WorkflowDefinition } from "../contract/workflow.ts";
import type { NewAuditEntry, PublishVersion, VersionRecord, WorkflowRecord } from "../store/store.ts";
import { type BreakingChange, findBreakingChanges } from "./definition/breaking-changes.ts";
import { deriveInputSchema } from "./definition/derive-schemas.ts";
import { freezeVersion } from "./definition/freeze-version.ts";
import { requireDraft, requireWorkflow } from "./definition/require-workflow.ts";
import { reviewDefinition, summarizeIssues } from "./definition/review-definition.ts";
import type { Services } from "./services.ts";
import { findWeakenedGates } from "./definition/weakened-gates.ts";

export type DeployWorkflow = {
  workspaceId: number;
  workflowId: string;
  /** The action's slug; null: the one that it or the draft has. */
  slug: string | null;
  /** Null: the draft's. */
  approvalPolicy: ApprovalPolicy | null;
  allowBreaking: boolean;
  /** The caller may decide on approvals, and so take a gate away. */
  canDecide: boolean;
  userId: string;
  via: DecidedVia;
};

export type DeployedWorkflow = Pick<PublishVersion, "inputSchema" | "outputSchema"> & {
  workflowId: string;
  version: number;
  slug: string;
  breakingChanges: BreakingChange[];
};

/** How often a deploy is judged anew when others got in first: of several at once one succeeds each time. */
const maxAttempts = 20;

/**
 * Makes a callable workflow's draft its next version, also where nothing changed. Throws BAD_REQUEST with what is wrong
 * with the draft, its slug or its input; SLUG_TAKEN; FORBIDDEN for a caller who takes a gate away and may not decide;
 * CONFLICT when the workflow does not stop changing meanwhile. The slug of a deleted workflow restores it, under its id.
 */
export async function deployWorkflow(services: Services, request: DeployWorkflow): Promise<DeployedWorkflow> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deployOnce(services, request);
    } catch (error) {
      // Breaking changes and gates are judged against the version that is replaced, and that is another one by now.
      const isOvertaken = error instanceof ApiError && error.code === "CONFLICT";
      if (!isOvertaken || attempt === maxAttempts) throw error;
    }
  }
}

async function deployOnce(services: Services, request: DeployWorkflow): Promise<DeployedWorkflow> {
  const { store, world } = services;
  const { workspaceId } = request;
  const workflow = await requireWorkflow(store, workspaceId, request.workflowId);
  if (workflow.type === "event_driven") {
    throw new ApiError("BAD_REQUEST", "Event-driven workflows cannot be published through the runtime API");
  }
  const draft = await requireDraft(store, workflow);
  const slug = chooseSlug(workflow, request.slug ?? draft.definition.slug ?? workflow.slug);
  const approval_policy = request.approvalPolicy ?? draft.definition.approval_policy;
  const definition = { ...draft.definition, slug, approval_policy };
  await assertValid(services, workspaceId, definition);
  const deployed = await findReplaced(services, workflow, slug);
  const breakingChanges = findChanges(deployed, definition, request.allowBreaking);
  const audit = judgeGates(services, request, deployed, definition);
  const frozen = freezeVersion(world, definition, "callable");
  const published = await store.publishVersion({
    ...frozen,
    workspaceId,
    workflowId: workflow.id,
    slug,
    sourcePath: null,
    seen: { revision: draft.revision, deployedVersionId: deployed?.id ?? null },
    ...(audit && { audit }),
  });
  const { workflowId, version } = published;
  const { inputSchema, outputSchema } = frozen;
  return { workflowId, version, slug, inputSchema, outputSchema, breakingChanges };
}

function chooseSlug(workflow: WorkflowRecord, slug: string | null): string {
  if (slug === null) {
    const message = "The first deploy needs a slug: the name under which the action is run";
    throw new ApiError("BAD_REQUEST", message, { details: [{ field: "slug", message }] });
  }
  if (workflow.slug === null || workflow.slug === slug) return slug;
  // The draft may have brought the other one, so to leave the argument out need not help.
  const message = `The action's slug is ${workflow.slug}: deploy with that slug, or create another workflow`;
  throw new ApiError("BAD_REQUEST", "An action's slug cannot be changed", { details: [{ field: "slug", message }] });
}

async function assertValid(services: Services, workspaceId: number, definition: WorkflowDefinition): Promise<void> {
  const issues = await reviewDefinition(services, workspaceId, definition);
  const errors = issues.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const message = `The draft can't be deployed: ${summarizeIssues(errors)}. Correct it with update_workflow`;
  throw new ApiError("BAD_REQUEST", message, { details: issues });
}

/** The version that the new one takes over from: the workflow's own, or that of a deleted one whose slug it takes. */
async function findReplaced(
  { store }: Services,
  workflow: WorkflowRecord,
  slug: string,
): Promise<VersionRecord | null> {
  const owner = workflow.slug === null ? await store.findWorkflow(workflow.workspaceId, { slug }) : workflow;
  // The store refuses the slug of one that is there.
  const isRestored = owner !== null && owner.id !== workflow.id && owner.deletedAt !== null;
  return store.findDeployedVersion(isRestored ? owner.id : workflow.id);
}

function findChanges(
  deployed: VersionRecord | null,
  definition: WorkflowDefinition,
  isAllowed: boolean,
): BreakingChange[] {
  if (!deployed?.inputSchema) return [];
  const changes = findBreakingChanges(deployed.inputSchema, deriveInputSchema(definition));
  if (changes.length === 0 || isAllowed) return changes;
  const what = changes.map(({ message }) => message).join("; ");
  const message = `Breaking change of the input: ${what}. Callers of version ${deployed.version} would fail; deploy with allow_breaking if that is meant`;
  throw new ApiError("BAD_REQUEST", message, {
    details: changes.map((change) => ({ code: "breaking_change", ...change })),
  });
}

/** The audit entry of a gate that is taken away; null where none is. */
function judgeGates(
  { world, protectsGates }: Services,
  { workspaceId, userId, via, canDecide }: DeployWorkflow,
  deployed: VersionRecord | null,
  definition: WorkflowDefinition,
): NewAuditEntry | null {
  const weakened = deployed ? findWeakenedGates(deployed.definition, definition) : [];
  if (weakened.length === 0) return null;
  const what = weakened.join("; ");
  if (protectsGates && !canDecide) {
    const message = `This weakens a gate: ${what}. That needs the scope approvals:decide too; keep the gate, or ask the user to deploy it`;
    throw new ApiError("FORBIDDEN", message);
  }
  const nobody = { decision: null, runId: null, approvalId: null };
  const comment = `${definition.slug}: ${what}`.slice(0, 1000);
  const createdAt = world.now().getTime();
  return { ...nobody, workspaceId, event: "gate.weakened", userId, decidedVia: via, comment, createdAt };
}
