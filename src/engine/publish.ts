import { isDeepStrictEqual } from "node:util";
import type { Issue, WorkflowDefinition, WorkflowType } from "../contract/workflow.ts";
import type { VersionRecord, WorkflowRecord } from "../store/store.ts";
import { type SecretLiterals, secretsOfTrigger } from "./definition/definition-secrets.ts";
import { warningAt } from "./definition/issue.ts";
import { findBreakingChanges } from "./definition/breaking-changes.ts";
import { deriveInputSchema, deriveType } from "./definition/derive-schemas.ts";
import { findTriggerData, newSubscriptionId } from "./definition/version-trigger.ts";
import { freezeVersion } from "./definition/freeze-version.ts";
import { identifyWorkflow } from "./definition/identify-workflow.ts";
import { isRefused, reviewDefinition } from "./definition/review-definition.ts";
import { armSchedule } from "./schedule/pass-schedule.ts";
import type { Services } from "./services.ts";
import { hasLiterals, sealLiterals, separateSecrets } from "./webhook-secrets.ts";

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
  const issues = await reviewDefinition(services, request.workspaceId, definition);
  if (isRefused(issues)) return { kind: "failed", issues };
  const type = deriveType(definition);
  const identity = await identifyWorkflow(services.store, request, type);
  issues.push(...identity.issues);
  if (findTriggerData(definition)?.kind === "connector") issues.push(nothingFires);
  const deployed = identity.workflow ? await services.store.findDeployedVersion(identity.workflow.id) : null;
  if (deployed) issues.push(...breakingIssues(deployed, definition, request.allowBreaking));
  const { workspaceId } = request;
  const known = identity.workflow?.id ?? null;
  const separated = separateSecrets(services, workspaceId, known, definition, ["deployed", "draft"]);
  issues.push(...separated.issues);
  if (isRefused(issues)) return { kind: "failed", issues };
  const hasNewSecrets = known !== null && !hasLiterals(services, workspaceId, known, separated.literals);
  if (
    deployed &&
    identity.workflow &&
    isUnchanged(identity.workflow, deployed, separated.definition) &&
    !hasNewSecrets
  ) {
    return unchanged(identity.workflow, deployed, issues);
  }
  if (request.checkOnly) return { kind: "valid", issues };
  const isReset = hasNewSecrets || (deployed !== null && saysOtherSecrets(deployed.definition, separated.definition));
  const secrets = { literals: separated.literals, isReset };
  return deploy(services, { ...request, definition: separated.definition }, secrets, type, identity.workflow, issues);
}

/** `isReset`: the definition has other webhook secrets than before, so that what a command has set over them is over. */
type PublishedSecrets = { literals: SecretLiterals; isReset: boolean };

async function deploy(
  services: Services,
  { workspaceId, userId, definition, sourcePath }: PublishWorkflow,
  { literals, isReset }: PublishedSecrets,
  type: WorkflowType,
  workflow: WorkflowRecord | null,
  issues: Issue[],
): Promise<PublishOutcome> {
  const { store, world, randomBytes, values } = services;
  const slug = type === "callable" ? (definition.slug ?? workflow?.slug ?? null) : null;
  const frozen = freezeVersion(world, definition, type);
  const owner = workflow?.id ?? frozen.newWorkflowId;
  const webhookSecrets = sealLiterals(services, workspaceId, owner, literals, ["draft", "deployed"]);
  if (isReset) webhookSecrets.push({ stage: "command", content: null });
  const trigger = type === "event_driven" ? findTriggerData(definition) : null;
  const published = await store.publishVersion({
    workspaceId,
    ...frozen,
    webhookSecrets,
    workflowId: workflow?.id ?? null,
    slug,
    sourcePath,
    ...(trigger && { trigger: { ...trigger, id: newSubscriptionId(randomBytes), userId } }),
  });
  await values.refresh(workspaceId);
  const { workflowId, version, archivedVersion } = published;
  if (trigger?.kind === "schedule") await armSchedule(services, workspaceId, workflowId);
  return { kind: "published", workflowId, type, slug, version, archivedVersion, issues };
}

function isUnchanged(workflow: WorkflowRecord, deployed: VersionRecord, definition: WorkflowDefinition): boolean {
  return workflow.deletedAt === null && isDeepStrictEqual(plain(deployed.definition), plain(definition));
}

function saysOtherSecrets(before: WorkflowDefinition, after: WorkflowDefinition): boolean {
  const say = ({ nodes }: WorkflowDefinition) =>
    nodes.filter(({ type }) => type === "trigger").flatMap((node) => secretsOfTrigger(node).map(({ text }) => text));
  return !isDeepStrictEqual(say(before), say(after));
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

/** Said plainly until events of connectors are served: a workflow that waits for ever looks like one that works. */
const nothingFires = warningAt(
  { path: "/nodes" },
  "triggers_unavailable",
  "Events of connectors do not start runs in this version of Stepgate yet; start one with: stepgate triggers fire",
);
