import { isDeepStrictEqual } from "node:util";
import type { Issue, WorkflowDefinition, WorkflowType } from "../contract/workflow.ts";
import type { VersionRecord, WorkflowRecord } from "../store/store.ts";
import { warningAt } from "./definition/issue.ts";
import { findBreakingChanges } from "./definition/breaking-changes.ts";
import { deriveInputSchema, deriveType } from "./definition/derive-schemas.ts";
import { freezeVersion } from "./definition/freeze-version.ts";
import { identifyWorkflow } from "./definition/identify-workflow.ts";
import { isRefused, reviewDefinition } from "./definition/review-definition.ts";
import type { Services } from "./services.ts";

export type PublishWorkflow = {
  workspaceId: number;
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
  const issues = await reviewDefinition(services, definition);
  if (isRefused(issues)) return { kind: "failed", issues };
  const type = deriveType(definition);
  const identity = await identifyWorkflow(services.store, request, type);
  issues.push(...identity.issues);
  if (type === "event_driven") issues.push(nothingFires);
  const deployed = identity.workflow ? await services.store.findDeployedVersion(identity.workflow.id) : null;
  if (deployed) issues.push(...breakingIssues(deployed, definition, request.allowBreaking));
  if (isRefused(issues)) return { kind: "failed", issues };
  if (deployed && identity.workflow && isUnchanged(identity.workflow, deployed, definition)) {
    return unchanged(identity.workflow, deployed, issues);
  }
  if (request.checkOnly) return { kind: "valid", issues };
  return deploy(services, request, type, identity.workflow, issues);
}

async function deploy(
  { store, world }: Services,
  { workspaceId, definition, sourcePath }: PublishWorkflow,
  type: WorkflowType,
  workflow: WorkflowRecord | null,
  issues: Issue[],
): Promise<PublishOutcome> {
  const slug = type === "callable" ? (definition.slug ?? workflow?.slug ?? null) : null;
  const published = await store.publishVersion({
    workspaceId,
    ...freezeVersion(world, definition, type),
    workflowId: workflow?.id ?? null,
    slug,
    sourcePath,
  });
  const { workflowId, version, archivedVersion } = published;
  return { kind: "published", workflowId, type, slug, version, archivedVersion, issues };
}

function isUnchanged(workflow: WorkflowRecord, deployed: VersionRecord, definition: WorkflowDefinition): boolean {
  return workflow.deletedAt === null && isDeepStrictEqual(plain(deployed.definition), plain(definition));
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

/** Said plainly until webhooks and schedules are served: a workflow that waits for ever looks like one that works. */
const nothingFires = warningAt(
  { path: "/nodes" },
  "triggers_unavailable",
  "Triggers do not fire in this version of Stepgate: the workflow is published, but nothing starts it yet",
);
