import type { Database } from "better-sqlite3";
import type { KeyRecord, NewAuditEntry, PublishedVersion } from "../store.ts";
import { prepareAddAudit } from "./audit-writes.ts";
import { prepareCommitRun, type RunUpdate } from "./commit-run.ts";
import { prepareCreateRun, type CreateRunAnswer, type RunInsert } from "./create-run.ts";
import type { Effect } from "./effect.ts";
import {
  prepareCreateKey,
  prepareRevokeKey,
  prepareTouchKeys,
  type KeyInsert,
  type KeyRevocation,
  type KeyUse,
} from "./key-writes.ts";
import { preparePublishVersion } from "./publish-version.ts";
import { prepareGrantApproval, type ApprovalGrant } from "./grant-approval.ts";
import { prepareRecoverRuns } from "./recover-runs.ts";
import type { RunRow } from "./run-row.ts";
import type { VersionInsert } from "./version-insert.ts";

/** Everything that changes the database: what each operation takes and answers, made of what structured clone keeps. */
type OperationShapes = {
  createRun: { input: RunInsert; value: CreateRunAnswer };
  commitRun: { input: RunUpdate; value: boolean };
  recoverRuns: { input: null; value: RunRow[] };
  grantApproval: { input: ApprovalGrant; value: boolean };
  addAudit: { input: NewAuditEntry; value: null };
  createKey: { input: KeyInsert; value: { created: boolean; active: number } };
  revokeKey: { input: KeyRevocation; value: KeyRecord | null };
  touchKeys: { input: readonly KeyUse[]; value: null };
  publishVersion: { input: VersionInsert; value: PublishedVersion };
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
    grantApproval: prepareGrantApproval(db),
    addAudit: prepareAddAudit(db),
    createKey: prepareCreateKey(db),
    revokeKey: prepareRevokeKey(db),
    touchKeys: prepareTouchKeys(db),
    publishVersion: preparePublishVersion(db),
  };
}

/** Runs one operation. */
export function perform<N extends OperationName>(
  operations: Operations,
  operation: Operation<N>,
): Effect<OperationValue<N>> {
  return operations[operation.name](operation.input);
}
