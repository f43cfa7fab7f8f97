import type { Database } from "better-sqlite3";
import type {
  BuildEnd,
  NewBuild,
  BreakerRecord,
  DeletedWorkflow,
  Expiry,
  ExpiryProgress,
  FailedPoll,
  KeyRecord,
  NewAuditEntry,
  NewValue,
  PublishedVersion,
  RunRemoval,
  RunRemovalOutcome,
  SavedDraft,
  WorkspaceRecord,
} from "../store.ts";
import { prepareAddAudit } from "./audit-writes.ts";
import { prepareSaveBreaker } from "./breakers.ts";
import { prepareCommitRun, type RunUpdate } from "./commit-run.ts";
import {
  prepareCreateConnection,
  prepareRemoveConnection,
  prepareTouchConnection,
  prepareUpdateConnection,
  type ConnectionInsert,
  type ConnectionRemoval,
  type ConnectionUpdate,
  type ConnectionUse,
} from "./connection-rows.ts";
import {
  prepareCreateBuild,
  prepareFinishBuild,
  prepareRemoveConnector,
  prepareStartBuild,
  type ConnectorRemoval,
} from "./connector-rows.ts";
import { prepareCreateRun, type CreateRunAnswer, type RunInsert } from "./create-run.ts";
import { prepareDeleteExpired } from "./delete-expired.ts";
import { prepareDeleteRun } from "./delete-run.ts";
import {
  prepareAddFile,
  prepareDeleteUnusedFiles,
  prepareNoteFileUse,
  type FileExpiry,
  type FileInsert,
  type FileRemoval,
  type FileUse,
} from "./file-rows.ts";
import {
  prepareDeleteDeliveries,
  prepareSaveDeliveries,
  type DeliveryBatch,
  type DeliveryExpiry,
} from "./delivery-writes.ts";
import {
  prepareCreateWorkflow,
  prepareDeleteWorkflow,
  prepareSaveDraft,
  type DraftUpdate,
  type WorkflowDeletion,
  type WorkflowInsert,
} from "./draft-writes.ts";
import { prepareRemoveDue, type DueRemoval } from "./due-writes.ts";
import {
  prepareDeleteSeenEvents,
  prepareFailPoll,
  prepareTakeEvents,
  type EventAnswer,
  type EventInsert,
  type SeenExpiry,
} from "./event-writes.ts";
import type { Effect } from "./effect.ts";
import { prepareSetMoment, type MomentChange } from "./moment-writes.ts";
import { prepareUpdateNotice, type NoticeChange } from "./notice-writes.ts";
import { prepareDeleteSlots, type SlotExpiry } from "./slot-writes.ts";
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
import { prepareSetSubscriptionStatus, type SubscriptionChange } from "./subscription-writes.ts";
import { prepareRemoveValue, prepareSetValue, type ValueRemoval } from "./value-rows.ts";
import type { VersionInsert } from "./version-insert.ts";
import { prepareSetWebhookSecrets, type WebhookSecretsUpdate } from "./webhook-secret-rows.ts";
import { prepareCreateWorkspace, prepareSetTier, type TierChange, type WorkspaceInsert } from "./workspace-writes.ts";

/** Everything that changes the database: what each operation takes and answers, made of what structured clone keeps. */
type OperationShapes = {
  createRun: { input: RunInsert; value: CreateRunAnswer };
  commitRun: { input: RunUpdate; value: boolean };
  recoverRuns: { input: null; value: RunRow[] };
  appendRunLog: { input: RunLogInsert; value: null };
  addFile: { input: FileInsert; value: null };
  noteFileUse: { input: FileUse; value: null };
  deleteUnusedFiles: { input: FileExpiry; value: FileRemoval };
  grantApproval: { input: ApprovalGrant; value: boolean };
  addAudit: { input: NewAuditEntry; value: null };
  removeDue: { input: DueRemoval; value: null };
  setMoment: { input: MomentChange; value: null };
  deleteSlots: { input: SlotExpiry; value: number };
  updateNotice: { input: NoticeChange; value: null };
  setActionStatus: { input: ActionChange; value: boolean };
  deleteExpired: { input: Expiry; value: ExpiryProgress };
  deleteRun: { input: RunRemoval; value: RunRemovalOutcome };
  reclaimSpace: { input: number; value: number };
  createKey: { input: KeyInsert; value: { created: boolean; active: number } };
  revokeKey: { input: KeyRevocation; value: KeyRecord | null };
  rotateKey: { input: KeyRotation; value: boolean };
  touchKeys: { input: readonly KeyUse[]; value: null };
  saveHits: { input: HitBatch; value: null };
  saveBreaker: { input: BreakerRecord; value: null };
  createWorkspace: { input: WorkspaceInsert; value: WorkspaceRecord | null };
  setTier: { input: TierChange; value: WorkspaceRecord | null };
  publishVersion: { input: VersionInsert; value: PublishedVersion };
  createBuild: { input: NewBuild; value: null };
  startBuild: { input: { id: string }; value: number };
  finishBuild: { input: BuildEnd; value: boolean };
  removeConnector: { input: ConnectorRemoval; value: boolean };
  createWorkflow: { input: WorkflowInsert; value: null };
  saveDraft: { input: DraftUpdate; value: SavedDraft };
  deleteWorkflow: { input: WorkflowDeletion; value: DeletedWorkflow | null };
  createConnection: { input: ConnectionInsert; value: boolean };
  updateConnection: { input: ConnectionUpdate; value: "updated" | "missing" | "name_taken" | "changed" };
  removeConnection: { input: ConnectionRemoval; value: boolean };
  touchConnection: { input: ConnectionUse; value: null };
  setVariable: { input: NewValue<string>; value: null };
  removeVariable: { input: ValueRemoval; value: boolean };
  setSecret: { input: NewValue<Uint8Array>; value: null };
  removeSecret: { input: ValueRemoval; value: boolean };
  setWebhookSecrets: { input: WebhookSecretsUpdate; value: null };
  setSubscriptionStatus: { input: SubscriptionChange; value: boolean };
  saveDeliveries: { input: DeliveryBatch; value: null };
  deleteDeliveries: { input: DeliveryExpiry; value: number };
  takeEvents: { input: EventInsert; value: EventAnswer };
  failPoll: { input: FailedPoll; value: boolean };
  deleteSeenEvents: { input: SeenExpiry; value: number };
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
    addFile: prepareAddFile(db),
    noteFileUse: prepareNoteFileUse(db),
    deleteUnusedFiles: prepareDeleteUnusedFiles(db),
    grantApproval: prepareGrantApproval(db),
    addAudit: prepareAddAudit(db),
    removeDue: prepareRemoveDue(db),
    setMoment: prepareSetMoment(db),
    deleteSlots: prepareDeleteSlots(db),
    updateNotice: prepareUpdateNotice(db),
    setActionStatus: prepareSetActionStatus(db),
    deleteExpired: prepareDeleteExpired(db),
    deleteRun: prepareDeleteRun(db),
    reclaimSpace: prepareReclaimSpace(db),
    createKey: prepareCreateKey(db),
    revokeKey: prepareRevokeKey(db),
    rotateKey: prepareRotateKey(db),
    touchKeys: prepareTouchKeys(db),
    saveHits: prepareSaveHits(db),
    saveBreaker: prepareSaveBreaker(db),
    createWorkspace: prepareCreateWorkspace(db),
    setTier: prepareSetTier(db),
    publishVersion: preparePublishVersion(db),
    createBuild: prepareCreateBuild(db),
    startBuild: prepareStartBuild(db),
    finishBuild: prepareFinishBuild(db),
    removeConnector: prepareRemoveConnector(db),
    createWorkflow: prepareCreateWorkflow(db),
    saveDraft: prepareSaveDraft(db),
    deleteWorkflow: prepareDeleteWorkflow(db),
    createConnection: prepareCreateConnection(db),
    updateConnection: prepareUpdateConnection(db),
    removeConnection: prepareRemoveConnection(db),
    touchConnection: prepareTouchConnection(db),
    setVariable: prepareSetValue(db, "variables"),
    removeVariable: prepareRemoveValue(db, "variables"),
    setSecret: prepareSetValue(db, "secrets"),
    removeSecret: prepareRemoveValue(db, "secrets"),
    setWebhookSecrets: prepareSetWebhookSecrets(db),
    setSubscriptionStatus: prepareSetSubscriptionStatus(db),
    saveDeliveries: prepareSaveDeliveries(db),
    deleteDeliveries: prepareDeleteDeliveries(db),
    takeEvents: prepareTakeEvents(db),
    failPoll: prepareFailPoll(db),
    deleteSeenEvents: prepareDeleteSeenEvents(db),
  };
}

/** Runs one operation. */
export function perform<N extends OperationName>(
  operations: Operations,
  operation: Operation<N>,
): Effect<OperationValue<N>> {
  return operations[operation.name](operation.input);
}
