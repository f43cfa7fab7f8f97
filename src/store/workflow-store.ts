import type { ActionStatus, ApprovalPolicy } from "../contract/action.ts";
import type { Json } from "../contract/json.ts";
import type { WorkflowDefinition, WorkflowType } from "../contract/workflow.ts";
import type { NewAuditEntry } from "./people-store.ts";
import type { WebhookSecretChange } from "./secret-store.ts";
import type { NewSubscription } from "./trigger-store.ts";

export type WorkflowRecord = {
  id: string;
  workspaceId: number;
  name: string;
  slug: string | null;
  type: WorkflowType;
  description: string | null;
  sourcePath: string | null;
  createdAt: number;
  updatedAt: number;
  deletedAt: number | null;
};

export type VersionRecord = {
  id: string;
  workflowId: string;
  version: number;
  status: "deployed" | "archived";
  definition: WorkflowDefinition;
  inputSchema: { [key: string]: Json } | null;
  outputSchema: { [key: string]: Json } | null;
  publishedAt: number;
};

/** What a workflow's next version would be, as saved last; `revision` grows with each change. */
export type DraftRecord = { revision: number; definition: WorkflowDefinition };

/** A workflow as lists show it: without documents. */
export type WorkflowSummary = WorkflowRecord & { revision: number; deployedVersion: number | null };

export type NewWorkflow = {
  id: string;
  workspaceId: number;
  definition: WorkflowDefinition;
  type: WorkflowType;
  at: number;
  /** Written together with the draft. */
  webhookSecrets?: readonly WebhookSecretChange[];
};

export type SaveDraft = {
  workspaceId: number;
  workflowId: string;
  definition: WorkflowDefinition;
  /** The revision that the caller has seen; null saves over any. */
  expectedRevision: number | null;
  at: number;
  /** Written together with the draft. */
  webhookSecrets?: readonly WebhookSecretChange[];
};

export type SavedDraft = { kind: "saved" | "conflict"; revision: number } | { kind: "missing" };

export type DeletedWorkflow = { actionSlug: string | null };

export type ActionRecord = {
  /** Inside id; runs are counted by it. */
  id: number;
  workspaceId: number;
  slug: string;
  name: string;
  description: string | null;
  status: ActionStatus;
  approvalPolicy: ApprovalPolicy;
  workflowId: string;
  createdAt: number;
  updatedAt: number;
  /** The deployed version; null when there is none. */
  release: Pick<VersionRecord, "id" | "version" | "publishedAt" | "inputSchema" | "outputSchema"> | null;
};

export type PublishVersion = {
  workspaceId: number;
  /** Present when the workflow exists; `newWorkflowId` is used when it does not. */
  workflowId: string | null;
  newWorkflowId: string;
  versionId: string;
  definition: WorkflowDefinition;
  type: WorkflowType;
  /** The action's slug of a callable workflow. */
  slug: string | null;
  inputSchema: { [key: string]: Json } | null;
  outputSchema: { [key: string]: Json } | null;
  sourcePath: string | null;
  at: number;
  /** What the caller has decided upon; when it has changed since, the publish is rejected with `CONFLICT`. */
  seen?: SeenState;
  /** Written together with the version. */
  audit?: NewAuditEntry;
  webhookSecrets?: readonly WebhookSecretChange[];
  /** What the version listens to; absent: to nothing, as a callable one. */
  trigger?: NewSubscription;
};

/** The draft that is published, and the version that was deployed where it goes to; null for none. */
export type SeenState = { revision: number; deployedVersionId: string | null };

export type PublishedVersion = {
  workflowId: string;
  version: number;
  versionId: string;
  archivedVersion: number | null;
};

export type WorkflowStore = {
  /** By id, by action slug, by name (event-driven) or by source path; deleted ones too, so that a slug can be restored. */
  findWorkflow(
    workspaceId: number,
    by: { id: string } | { slug: string } | { name: string; type: WorkflowType } | { sourcePath: string },
  ): Promise<WorkflowRecord | null>;
  /** The version that runs now. */
  findDeployedVersion(workflowId: string): Promise<VersionRecord | null>;
  getVersion(versionId: string): Promise<VersionRecord | null>;
  /** Newest first, without the documents. */
  listVersions(workflowId: string): Promise<Pick<VersionRecord, "id" | "version" | "status" | "publishedAt">[]>;
  findVersion(workflowId: string, version: number): Promise<VersionRecord | null>;
  /** By name; deleted ones are left out. */
  listWorkflows(workspaceId: number): Promise<WorkflowSummary[]>;
  findDraft(workflowId: string): Promise<DraftRecord | null>;
  /** Makes a workflow that has a draft of revision 1 and no version. */
  createWorkflow(input: NewWorkflow): Promise<void>;
  /** Replaces a draft; the type of its workflow never changes. A deleted workflow is missing. */
  saveDraft(input: SaveDraft): Promise<SavedDraft>;
  /** Deletes a workflow and its action, whose slug stays taken; its runs go on. Null when there is none. */
  deleteWorkflow(input: { workspaceId: number; workflowId: string; at: number }): Promise<DeletedWorkflow | null>;
  /**
   * Makes the next version: creates the workflow when `workflowId` is null, archives the deployed version, inserts the
   * new one, creates or moves the action and makes the definition the draft, all or nothing. A slug of another workflow
   * rejects with `SLUG_TAKEN`; that of a deleted one restores it, and a workflow without versions that is published
   * under it goes into it.
   */
  publishVersion(input: PublishVersion): Promise<PublishedVersion>;
  /** By slug. */
  listActions(workspaceId: number, statuses: readonly ActionStatus[]): Promise<ActionRecord[]>;
  findAction(workspaceId: number, slug: string): Promise<ActionRecord | null>;
  /** False when there is no such action. Activating one begins its count of failures anew. */
  setActionStatus(change: { workspaceId: number; slug: string; status: ActionStatus; at: number }): Promise<boolean>;
};
