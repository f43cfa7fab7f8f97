import type { Database } from "better-sqlite3";
import type { Store } from "../store.ts";
import { prepareActionReads } from "./action-reads.ts";
import { prepareApprovalReads } from "./approval-reads.ts";
import { prepareDueReads } from "./due-reads.ts";
import { prepareListIncidents } from "./incident-reads.ts";
import { prepareKeyReads } from "./key-reads.ts";
import { prepareListRuns } from "./list-runs.ts";
import { prepareReadHits } from "./rate-hits.ts";
import { prepareCountRuns } from "./run-counts.ts";
import { prepareReadRunLog } from "./run-log.ts";
import { prepareRunReads } from "./run-reads.ts";
import { prepareFindRepeat } from "./run-repeats.ts";
import { prepareWorkflowReads } from "./workflow-reads.ts";

type ReadName =
  | "findWorkspace"
  | "getWorkspace"
  | "listWorkspaces"
  | "listKeys"
  | "findKeysByPrefix"
  | "findWorkflow"
  | "findDeployedVersion"
  | "getVersion"
  | "listVersions"
  | "findVersion"
  | "listWorkflows"
  | "findDraft"
  | "listActions"
  | "findAction"
  | "findRun"
  | "listRuns"
  | "listAccepted"
  | "findRepeat"
  | "countRuns"
  | "readHits"
  | "readJournal"
  | "readRunLog"
  | "findSealed"
  | "listSealed"
  | "listRunApprovals"
  | "findApproval"
  | "listApprovals"
  | "listOpenRuns"
  | "listAudit"
  | "listIncidents"
  | "listDue"
  | "nextDueAt"
  | "listRunDue";

/** The store's reads, on a connection of the calling thread; `assertOpen` throws when they may not be used. */
export function readMethods(db: Database, assertOpen: () => void): Pick<Store, ReadName> {
  const keys = prepareKeyReads(db);
  const workflows = prepareWorkflowReads(db);
  const actions = prepareActionReads(db);
  const runs = prepareRunReads(db);
  const approvals = prepareApprovalReads(db);
  const due = prepareDueReads(db);
  const read =
    <A extends unknown[], V>(query: (...args: A) => V) =>
    async (...args: A): Promise<V> => {
      assertOpen();
      return query(...args);
    };
  return {
    findWorkspace: read(keys.findWorkspace),
    getWorkspace: read(keys.getWorkspace),
    listWorkspaces: read(keys.listWorkspaces),
    listKeys: read(keys.listKeys),
    findKeysByPrefix: read(keys.findKeysByPrefix),
    findWorkflow: read(workflows.findWorkflow),
    findDeployedVersion: read(workflows.findDeployedVersion),
    getVersion: read(workflows.getVersion),
    listVersions: read(workflows.listVersions),
    findVersion: read(workflows.findVersion),
    listWorkflows: read(workflows.listWorkflows),
    findDraft: read(workflows.findDraft),
    listActions: read(actions.listActions),
    findAction: read(actions.findAction),
    findRun: read(runs.findRun),
    listRuns: read(prepareListRuns(db)),
    listAccepted: read(runs.listAccepted),
    findRepeat: read(prepareFindRepeat(db)),
    countRuns: read(prepareCountRuns(db)),
    readHits: read(prepareReadHits(db)),
    readJournal: read(runs.readJournal),
    readRunLog: read(prepareReadRunLog(db)),
    findSealed: read(runs.findSealed),
    listSealed: read(runs.listSealed),
    listRunApprovals: read(approvals.listRunApprovals),
    findApproval: read(approvals.findApproval),
    listApprovals: read(approvals.listApprovals),
    listOpenRuns: read(runs.listOpenRuns),
    listAudit: read(approvals.listAudit),
    listIncidents: read(prepareListIncidents(db)),
    listDue: read(due.listDue),
    nextDueAt: read(due.nextDueAt),
    listRunDue: read(due.listRunDue),
  };
}
