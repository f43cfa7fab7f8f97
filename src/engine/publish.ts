import { isDeepStrictEqual } from "node:util";
import type { Issue, WorkflowDefinition, WorkflowType } from "../contract/workflow.ts";
import type { VersionRecord, WorkflowRecord } from "../store/store.ts";
import { findBreakingChanges } from "./definition/breaking-changes.ts";
import { deriveInputSchema, deriveType } from "./definition/derive-schemas.ts";
import { findTriggerData, newSubscriptionId } from "./definition/version-trigger.ts";
import { freezeVersion } from "./definition/freeze-version.ts";
import { checkSlug, identifyWorkflow } from "./definition/identify-workflow.ts";
import { isRefused, reviewDefinition } from "./definition/review-definition.ts";
import { armTrigger } from "./events/arm-polls.ts";
import type { Services } from "./services.ts";
import { type PublishedSecrets, publishedSecrets, sealPublished } from "./published-secrets.ts";

export type PublishWorkflow = {
  workspaceId: number;
  /** In whose name a trigger starts runs from now on. */
  userId: string;
  definition: WorkflowDefinition;
  /** The workflow's id where the file names one. */
  id: string | null;
  /** Where the definition came from; a new identity from a known path is refused (contract 2). */
  sourcePath: string | null;
  allowBreaking: boolean;
  asNew: boolean;
  /** The slug or name that this file's workflow had before. */
  renameFrom: string | null;
  /** Finds every problem and changes nothing. */
  checkOnly: boolean;
};

export type PublishOutcome =
  | {
      kind: "published" | "unchanged";
      workflowId: string;
      type: WorkflowType;
      slug: string | null;
      version: number;
      archivedVersion: number | null;
      issues: Issue[];
    }
  | { kind: "valid"; issues: Issue[] }
  | { kind: "failed"; issues: Issue[] };

/**
 * Checks a definition and makes it the deployed version of its workflow, or says every reason why not. A definition
 * equal to the deployed one makes no version. Throws ApiError where the store refuses (`SLUG_TAKEN`).
 */
export async function publishWorkflow(services: Services, request: PublishWorkflow): Promise<PublishOutcome> {
  const { definition } = request;
  const issues = [...checkSlug(request), ...(await reviewDefinition(services, request.workspaceId, definition))];
  if (isRefused(issues)) return { kind: "failed", issues };
  const type = deriveType(definition);
  const identity = await identifyWorkflow(services.store, request, type);
  issues.push(...identity.issues);
  const deployed = identity.workflow ? await services.store.findDeployedVersion(identity.workflow.id) : null;
  if (deployed) issues.push(...breakingIssues(deployed, definition, request.allowBreaking));
  const secrets = publishedSecrets(services, request.workspaceId, identity.workflow, deployed, definition);
  issues.push(...secrets.issues);
  if (isRefused(issues)) return { kind: "failed", issues };
  if (deployed && identity.workflow && isUnchanged(identity.workflow, deployed, secrets)) {
    return unchanged(identity.workflow, deployed, issues);
  }
  if (request.checkOnly) return { kind: "valid", issues };
  return deploy(services, request, secrets, type, identity.workflow, issues);
}

async function deploy(
  services: Services,
  { workspaceId, userId, sourcePath }: PublishWorkflow,
  secrets: PublishedSecrets,
  type: WorkflowType,
  workflow: WorkflowRecord | null,
  issues: Issue[],
): Promise<PublishOutcome> {
  const { store, world, randomBytes, values } = services;
  const { definition } = secrets;
  const slug = type === "callable" ? slugOf(definition, workflow) : null;
  const frozen = freezeVersion(world, definition, type);
  const trigger = type === "event_driven" ? findTriggerData(definition) : null;
  const published = await store.publishVersion({
    workspaceId,
    ...frozen,
    webhookSecrets: sealPublished(services, workspaceId, workflow?.id ?? frozen.newWorkflowId, secrets),
    workflowId: workflow?.id ?? null,
    slug,
    sourcePath,
    ...(trigger && { trigger: { ...trigger, id: newSubscriptionId(randomBytes), userId } }),
  });
  await values.refresh(workspaceId);
  const { workflowId, version, archivedVersion } = published;
  if (trigger && trigger.kind !== "webhook") await armTrigger(services, workspaceId, workflowId);
  return { kind: "published", workflowId, type, slug, version, archivedVersion, issues };
}

function slugOf({ slug }: WorkflowDefinition, workflow: WorkflowRecord | null): string | null {
  return slug ?? workflow?.slug ?? null;
}

function isUnchanged(
  workflow: WorkflowRecord,
  deployed: VersionRecord,
  { definition, hasChanged }: PublishedSecrets,
): boolean {
  if (hasChanged || workflow.deletedAt !== null) return false;
  return isDeepStrictEqual(plain(deployed.definition), plain(definition));
}

/** As it is stored: JSON has no undefined members and no null prototypes. */
function plain(definition: WorkflowDefinition): unknown {
  return JSON.parse(JSON.stringify(definition));
}

function unchanged(workflow: WorkflowRecord, deployed: VersionRecord, issues: Issue[]): PublishOutcome {
  return {
    kind: "unchanged",
    workflowId: workflow.id,
    type: workflow.type,
    slug: workflow.slug,
    version: deployed.version,
    archivedVersion: null,
    issues,
  };
}

function breakingIssues(deployed: VersionRecord, definition: WorkflowDefinition, allowed: boolean): Issue[] {
  if (!deployed.inputSchema) return [];
  return findBreakingChanges(deployed.inputSchema, deriveInputSchema(definition)).map((change) => ({
    severity: allowed ? "warning" : "error",
    code: "breaking_change",
    message: allowed
      ? `Breaking change of the input: ${change.message}`
      : `Breaking change of the input: ${change.message}. Callers of version ${deployed.version} would fail; publish with --allow-breaking if that is meant`,
    path: "/nodes",
    line: null,
    column: null,
  }));
}
