import type { Database } from "better-sqlite3";
import type {
  DeletedWorkflow,
  Expiry,
  ExpiryProgress,
  KeyRecord,
  NewAuditEntry,
  PublishedVersion,
  SavedDraft,
  WorkspaceRecord,
} from "../store.ts";
import { prepareAddAudit } from "./audit-writes.ts";
import { prepareCommitRun, type RunUpdate } from "./commit-run.ts";
import { prepareCreateRun, type CreateRunAnswer, type RunInsert } from "./create-run.ts";
import { prepareDeleteExpired } from "./delete-expired.ts";
import {
  prepareCreateWorkflow,
  prepareDeleteWorkflow,
  prepareSaveDraft,
  type DraftUpdate,
  type WorkflowDeletion,
  type WorkflowInsert,
} from "./draft-writes.ts";
import { prepareRemoveDue, type DueRemoval } from "./due-writes.ts";
import type { Effect } from "./effect.ts";
import { prepareSetActionStatus, type ActionChange } from "./set-action-status.ts";
import {
  prepareCreateKey,
  prepareRevokeKey,
  prepareRotateKey,
  prepareTouchKeys,
  type KeyInsert,
  type KeyRevocation,
  type KeyRotation,
  type KeyUse,
} from "./key-writes.ts";
import { prepareSaveHits, type HitBatch } from "./rate-hits.ts";
import { preparePublishVersion } from "./publish-version.ts";
import { prepareGrantApproval, type ApprovalGrant } from "./grant-approval.ts";
import { prepareReclaimSpace } from "./reclaim-space.ts";
import { prepareRecoverRuns } from "./recover-runs.ts";
import { prepareAppendRunLog, type RunLogInsert } from "./run-log.ts";
import type { RunRow } from "./run-row.ts";
import type { VersionInsert } from "./version-insert.ts";
import { prepareCreateWorkspace, prepareSetTier, type TierChange, type WorkspaceInsert } from "./workspace-writes.ts";

/** Everything that changes the database: what each operation takes and answers, made of what structured clone keeps. */
type OperationShapes = {
  createRun: { input: RunInsert; value: CreateRunAnswer };
  commitRun: { input: RunUpdate; value: boolean };
  recoverRuns: { input: null; value: RunRow[] };
  appendRunLog: { input: RunLogInsert; value: null };
  grantApproval: { input: ApprovalGrant; value: boolean };
  addAudit: { input: NewAuditEntry; value: null };
  removeDue: { input: DueRemoval; value: null };
  setActionStatus: { input: ActionChange; value: boolean };
  deleteExpired: { input: Expiry; value: ExpiryProgress };
  reclaimSpace: { input: number; value: number };
  createKey: { input: KeyInsert; value: { created: boolean; active: number } };
  revokeKey: { input: KeyRevocation; value: KeyRecord | null };
  rotateKey: { input: KeyRotation; value: boolean };
  touchKeys: { input: readonly KeyUse[]; value: null };
  saveHits: { input: HitBatch; value: null };
  createWorkspace: { input: WorkspaceInsert; value: WorkspaceRecord | null };
  setTier: { input: TierChange; value: WorkspaceRecord | null };
  publishVersion: { input: VersionInsert; value: PublishedVersion };
  createWorkflow: { input: WorkflowInsert; value: null };
  saveDraft: { input: DraftUpdate; value: SavedDraft };
  deleteWorkflow: { input: WorkflowDeletion; value: DeletedWorkflow | null };
};

export type OperationName = keyof OperationShapes;
export type OperationInput<N extends OperationName> = OperationShapes[N]["input"];
export type OperationValue<N extends OperationName> = OperationShapes[N]["value"];
export type Operation<N extends OperationName = OperationName> = {
  [M in N]: { name: M; input: OperationInput<M> };
}[N];

/** Each runs inside a transaction that is open, and throws when it may leave nothing behind. */
export type Operations = { [N in OperationName]: (input: OperationInput<N>) => Effect<OperationValue<N>> };

/** Prepares every statement that writes, on the connection that does. */
export function prepareOperations(db: Database): Operations {
  return {
    createRun: prepareCreateRun(db),
    commitRun: prepareCommitRun(db),
    recoverRuns: prepareRecoverRuns(db),
    appendRunLog: prepareAppendRunLog(db),
    grantApproval: prepareGrantApproval(db),
    addAudit: prepareAddAudit(db),
    removeDue: prepareRemoveDue(db),
    setActionStatus: prepareSetActionStatus(db),
    deleteExpired: prepareDeleteExpired(db),
    reclaimSpace: prepareReclaimSpace(db),
    createKey: prepareCreateKey(db),
    revokeKey: prepareRevokeKey(db),
    rotateKey: prepareRotateKey(db),
    touchKeys: prepareTouchKeys(db),
    saveHits: prepareSaveHits(db),
    createWorkspace: prepareCreateWorkspace(db),
    setTier: prepareSetTier(db),
    publishVersion: preparePublishVersion(db),
    createWorkflow: prepareCreateWorkflow(db),
    saveDraft: prepareSaveDraft(db),
    deleteWorkflow: prepareDeleteWorkflow(db),
  };
}

/** Runs one operation. */
export function perform<N extends OperationName>(
  operations: Operations,
  operation: Operation<N>,
): Effect<OperationValue<N>> {
  return operations[operation.name](operation.input);
}
