import type { NewApproval, NewRun, RunCommit, Store } from "../store.ts";
import type { ApprovalInsert } from "./approval-writes.ts";
import type { RunUpdate } from "./commit-run.ts";
import type { RunInsert } from "./create-run.ts";
import { encodeDraft } from "./draft-writes.ts";
import { encodeEvent } from "./event-row.ts";
import { encodeEvents, presentTaken } from "./event-batch.ts";
import type { Operation, OperationName, OperationValue } from "./operations.ts";
import { type SecretWriteName, secretMethods } from "./secret-methods.ts";
import { decodeRun, newRunRecord } from "./run-row.ts";
import { encodePublish } from "./version-insert.ts";

/** Settles when the operation is durable. */
export type Write = <N extends OperationName>(operation: Operation<N>) => Promise<OperationValue<N>>;

type WriteName =
  | "createKey"
  | "revokeKey"
  | "rotateKey"
  | "touchKeys"
  | "saveHits"
  | "saveBreaker"
  | "createWorkspace"
  | "setTier"
  | "publishVersion"
  | "createBuild"
  | "startBuild"
  | "finishBuild"
  | "removeConnector"
  | "createWorkflow"
  | "saveDraft"
  | "deleteWorkflow"
  | "setSubscriptionStatus"
  | "saveDeliveries"
  | "deleteDeliveries"
  | "takeEvents"
  | "failPoll"
  | "deleteSeenEvents"
  | "createRun"
  | "commitRun"
  | "recoverRuns"
  | "appendRunLog"
  | "addFile"
  | "noteFileUse"
  | "deleteUnusedFiles"
  | "grantApproval"
  | "addAudit"
  | "removeDue"
  | "setMoment"
  | "deleteSlots"
  | "updateNotice"
  | "setActionStatus"
  | "deleteExpired"
  | "deleteRun"
  | "reclaimSpace"
  | SecretWriteName;

/** The store's writes. Payloads become JSON text here, on the calling thread, since a text crosses threads cheaply. */
export function writeMethods(write: Write): Pick<Store, WriteName> {
  return { ...assetMethods(write), ...runMethods(write), ...secretMethods(write) };
}

type RunWriteName =
  | "createRun"
  | "commitRun"
  | "recoverRuns"
  | "addFile"
  | "noteFileUse"
  | "deleteUnusedFiles"
  | "appendRunLog"
  | "grantApproval"
  | "removeDue"
  | "setMoment"
  | "deleteSlots"
  | "updateNotice"
  | "addAudit"
  | "deleteExpired"
  | "deleteRun"
  | "reclaimSpace";

/** What is published, who may call it, and what starts it. */
function assetMethods(write: Write): Pick<Store, Exclude<WriteName, RunWriteName | SecretWriteName>> {
  return {
    createKey: (input) => write({ name: "createKey", input }),
    revokeKey: (input) => write({ name: "revokeKey", input }),
    rotateKey: (input) => write({ name: "rotateKey", input }),
    createWorkspace: (input) => write({ name: "createWorkspace", input }),
    setTier: (input) => write({ name: "setTier", input }),
    async saveHits(input) {
      await write({ name: "saveHits", input });
    },
    async saveBreaker(input) {
      await write({ name: "saveBreaker", input });
    },
    async touchKeys(uses) {
      await write({ name: "touchKeys", input: uses });
    },
    publishVersion: async (input) => write({ name: "publishVersion", input: encodePublish(input) }),
    async createBuild(input) {
      await write({ name: "createBuild", input });
    },
    startBuild: (input) => write({ name: "startBuild", input }),
    finishBuild: (input) => write({ name: "finishBuild", input }),
    removeConnector: (input) => write({ name: "removeConnector", input }),
    async createWorkflow(input) {
      await write({ name: "createWorkflow", input: encodeDraft(input) });
    },
    saveDraft: async (input) => write({ name: "saveDraft", input: encodeDraft(input) }),
    deleteWorkflow: (input) => write({ name: "deleteWorkflow", input }),
    setSubscriptionStatus: (input) => write({ name: "setSubscriptionStatus", input }),
    async saveDeliveries(input) {
      await write({ name: "saveDeliveries", input });
    },
    deleteDeliveries: (before, limit) => write({ name: "deleteDeliveries", input: { before, limit } }),
    takeEvents: async (batch) => {
      const taken = await write({ name: "takeEvents", input: encodeEvents(batch, encodeNewRun) });
      return presentTaken(taken, batch);
    },
    failPoll: (input) => write({ name: "failPoll", input }),
    deleteSeenEvents: (before, limit) => write({ name: "deleteSeenEvents", input: { before, limit } }),
    setActionStatus: (input) => write({ name: "setActionStatus", input }),
  };
}

/** Runs, what belongs to one, and what time does. */
function runMethods(write: Write): Pick<Store, RunWriteName> {
  return {
    async createRun(input) {
      const answer = await write({ name: "createRun", input: encodeNewRun(input) });
      return answer.kind === "created" ? { kind: "created", run: newRunRecord(input) } : answer;
    },
    commitRun: async (commit) => write({ name: "commitRun", input: encodeCommit(commit) }),
    async recoverRuns() {
      const rows = await write({ name: "recoverRuns", input: null });
      return rows.map(decodeRun);
    },
    async addFile(input) {
      await write({ name: "addFile", input });
    },
    async noteFileUse(input) {
      await write({ name: "noteFileUse", input });
    },
    deleteUnusedFiles: (input) => write({ name: "deleteUnusedFiles", input }),
    async appendRunLog(input) {
      await write({ name: "appendRunLog", input });
    },
    grantApproval: (input) => write({ name: "grantApproval", input }),
    async removeDue(input) {
      await write({ name: "removeDue", input });
    },
    async setMoment(input) {
      await write({ name: "setMoment", input });
    },
    deleteSlots: (before, limit) => write({ name: "deleteSlots", input: { before, limit } }),
    async updateNotice(input) {
      await write({ name: "updateNotice", input });
    },
    async addAudit(input) {
      await write({ name: "addAudit", input });
    },
    deleteExpired: (input) => write({ name: "deleteExpired", input }),
    deleteRun: (input) => write({ name: "deleteRun", input }),
    reclaimSpace: (pages) => write({ name: "reclaimSpace", input: pages }),
  };
}

function encodeNewRun(run: NewRun): RunInsert {
  const { replay } = run;
  return {
    ...run,
    input: JSON.stringify(run.input),
    error: run.error ? JSON.stringify(run.error) : null,
    request: encodeRequest(run.request),
    replay: replay ? { ...replay, events: replay.events.map(encodeEvent) } : null,
  };
}

function encodeRequest(request: NewApproval | undefined): ApprovalInsert | null {
  if (!request) return null;
  const { iteration, inputs } = request;
  return { ...request, iteration: iteration && JSON.stringify(iteration), inputs: JSON.stringify(inputs) };
}

function encodeCommit({ events, output, error, request, ...commit }: RunCommit): RunUpdate {
  return {
    ...commit,
    events: events.map(encodeEvent),
    request: encodeRequest(request),
    output: output === undefined ? null : JSON.stringify(output),
    error: error === undefined ? null : JSON.stringify(error),
  };
}
