import type { Database } from "better-sqlite3";
import type { Store } from "../store.ts";
import { prepareActionReads } from "./action-reads.ts";
import { prepareApprovalReads } from "./approval-reads.ts";
import { prepareListBreakers } from "./breakers.ts";
import { prepareChildReads } from "./child-runs.ts";
import { prepareDeliveryReads } from "./delivery-reads.ts";
import { prepareListConnections } from "./connection-rows.ts";
import { prepareConnectorReads } from "./connector-rows.ts";
import { prepareDueReads } from "./due-reads.ts";
import { prepareFileReads } from "./file-rows.ts";
import { prepareListIncidents } from "./incident-reads.ts";
import { prepareKeyReads } from "./key-reads.ts";
import { prepareListRuns } from "./list-runs.ts";
import { prepareFindNotice } from "./notice-writes.ts";
import { prepareFindPoll } from "./poll-reads.ts";
import { prepareReadHits } from "./rate-hits.ts";
import { prepareCountRuns } from "./run-counts.ts";
import { prepareReadRunLog } from "./run-log.ts";
import { prepareDescribeRuns } from "./run-facts.ts";
import { prepareRunReads } from "./run-reads.ts";
import { prepareFindRepeat } from "./run-repeats.ts";
import { prepareSubscriptionReads } from "./subscription-reads.ts";
import { prepareListValues } from "./value-rows.ts";
import { prepareListWebhookSecrets } from "./webhook-secret-rows.ts";
import { prepareWorkflowReads } from "./workflow-reads.ts";

/** The store's reads, on a connection of the calling thread; `assertOpen` throws when they may not be used. */
export function readMethods(db: Database, assertOpen: () => void) {
  const read: Guard =
    (query) =>
    async (...args) => {
      assertOpen();
      return query(...args);
    };
  return { ...assetReads(db, read), ...runReads(db, read), ...peopleReads(db, read) };
}

/** Makes a query on the calling thread a method of the store. */
type Guard = <A extends unknown[], V>(query: (...args: A) => V) => (...args: A) => Promise<V>;

/** What was published, who may call it, and what starts it. */
function assetReads(db: Database, read: Guard) {
  const keys = prepareKeyReads(db);
  const workflows = prepareWorkflowReads(db);
  const actions = prepareActionReads(db);
  const subscriptions = prepareSubscriptionReads(db);
  const deliveries = prepareDeliveryReads(db);
  const connectors = prepareConnectorReads(db);
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
    findSubscription: read(subscriptions.findSubscription),
    findTrigger: read(subscriptions.findTrigger),
    listSubscriptions: read(subscriptions.listSubscriptions),
    listSchedules: read(subscriptions.listSchedules),
    listConnectorTriggers: read(subscriptions.listConnectorTriggers),
    findPoll: read(prepareFindPoll(db)),
    listDeliveries: read(deliveries.listDeliveries),
    findDelivery: read(deliveries.findDelivery),
    listConnectors: read(connectors.listConnectors),
    findConnector: read(connectors.findConnector),
    findBuild: read(connectors.findBuild),
    listOpenBuilds: read(connectors.listOpenBuilds),
    readBuildSource: read(connectors.readBuildSource),
    listActions: read(actions.listActions),
    findAction: read(actions.findAction),
    listBreakers: read(prepareListBreakers(db)),
    readHits: read(prepareReadHits(db)),
  } satisfies Partial<Store>;
}

/** Runs, and what belongs to one. */
function runReads(db: Database, read: Guard) {
  const runs = prepareRunReads(db);
  const children = prepareChildReads(db);
  const files = prepareFileReads(db);
  return {
    findRun: read(runs.findRun),
    listRuns: read(prepareListRuns(db)),
    describeRuns: read(prepareDescribeRuns(db)),
    listAccepted: read(runs.listAccepted),
    findFile: read(files.findFile),
    listRunFiles: read(files.listRunFiles),
    listChildren: read(children.listChildren),
    findParent: read(children.findParent),
    findRepeat: read(prepareFindRepeat(db)),
    countRuns: read(prepareCountRuns(db)),
    readJournal: read(runs.readJournal),
    readRunLog: read(prepareReadRunLog(db)),
    findSealed: read(runs.findSealed),
    listSealed: read(runs.listSealed),
    listOpenRuns: read(runs.listOpenRuns),
  } satisfies Partial<Store>;
}

/** Time, people, and what is kept for connections. */
function peopleReads(db: Database, read: Guard) {
  const approvals = prepareApprovalReads(db);
  const due = prepareDueReads(db);
  return {
    listRunApprovals: read(approvals.listRunApprovals),
    findApproval: read(approvals.findApproval),
    listApprovals: read(approvals.listApprovals),
    listAudit: read(approvals.listAudit),
    listIncidents: read(prepareListIncidents(db)),
    listDue: read(due.listDue),
    nextDueAt: read(due.nextDueAt),
    listMoments: read(due.listMoments),
    findNotice: read(prepareFindNotice(db)),
    listRunDue: read(due.listRunDue),
    listConnections: read(prepareListConnections(db)),
    listVariables: read(prepareListValues<string>(db, "variables")),
    listSecrets: read(prepareListValues<Uint8Array>(db, "secrets")),
    listWebhookSecrets: read(prepareListWebhookSecrets(db)),
  } satisfies Partial<Store>;
}
