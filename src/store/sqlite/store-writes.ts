import type { NewApproval, NewRun, RunCommit, Store } from "../store.ts";
import type { ApprovalInsert } from "./approval-writes.ts";
import type { RunUpdate } from "./commit-run.ts";
import type { RunInsert } from "./create-run.ts";
import { encodeDraft } from "./draft-writes.ts";
import { encodeEvent } from "./event-row.ts";
import { encodeEvents, presentTaken } from "./event-batch.ts";
import type { Operation, OperationInput, OperationName, OperationValue } from "./operations.ts";
import { secretMethods } from "./secret-methods.ts";
import { decodeRun, newRunRecord } from "./run-row.ts";
import { encodePublish } from "./version-insert.ts";

/** Settles when the operation is durable. */
export type Write = <N extends OperationName>(operation: Operation<N>) => Promise<OperationValue<N>>;

/** Makes an operation a method that hands its input on as it is. */
export type HandOn = {
  /** The method gives what the operation answers. */
  answer<N extends OperationName>(name: N): (input: OperationInput<N>) => Promise<OperationValue<N>>;
  /** The method gives nothing: it settles when the operation is durable. */
  settle<N extends OperationName>(name: N): (input: OperationInput<N>) => Promise<void>;
};

/** The store's writes. Payloads become JSON text here, on the calling thread, since a text crosses threads cheaply. */
export function writeMethods(write: Write) {
  const handOn: HandOn = {
    answer: (name) => async (input) => write({ name, input }),
    settle: (name) => async (input) => void (await write({ name, input })),
  };
  return { ...assetMethods(write, handOn), ...runMethods(write, handOn), ...secretMethods(write, handOn) };
}

/** What is published, who may call it, and what starts it. */
function assetMethods(write: Write, { answer, settle }: HandOn) {
  return {
    createKey: answer("createKey"),
    revokeKey: answer("revokeKey"),
    rotateKey: answer("rotateKey"),
    createWorkspace: answer("createWorkspace"),
    setTier: answer("setTier"),
    saveHits: settle("saveHits"),
    saveBreaker: settle("saveBreaker"),
    touchKeys: settle("touchKeys"),
    publishVersion: async (input) => write({ name: "publishVersion", input: encodePublish(input) }),
    createBuild: settle("createBuild"),
    startBuild: answer("startBuild"),
    finishBuild: answer("finishBuild"),
    removeConnector: answer("removeConnector"),
    async createWorkflow(input) {
      await write({ name: "createWorkflow", input: encodeDraft(input) });
    },
    saveDraft: async (input) => write({ name: "saveDraft", input: encodeDraft(input) }),
    deleteWorkflow: answer("deleteWorkflow"),
    setSubscriptionStatus: answer("setSubscriptionStatus"),
    saveDeliveries: settle("saveDeliveries"),
    deleteDeliveries: (before, limit) => write({ name: "deleteDeliveries", input: { before, limit } }),
    async takeEvents(batch) {
      const taken = await write({ name: "takeEvents", input: encodeEvents(batch, encodeNewRun) });
      return presentTaken(taken, batch);
    },
    failPoll: answer("failPoll"),
    deleteSeenEvents: (before, limit) => write({ name: "deleteSeenEvents", input: { before, limit } }),
    setActionStatus: answer("setActionStatus"),
  } satisfies Partial<Store>;
}

/** Runs, what belongs to one, and what time does. */
function runMethods(write: Write, { answer, settle }: HandOn) {
  return {
    async createRun(input) {
      const created = await write({ name: "createRun", input: encodeNewRun(input) });
      return created.kind === "created" ? { kind: "created", run: newRunRecord(input) } : created;
    },
    commitRun: async (commit) => write({ name: "commitRun", input: encodeCommit(commit) }),
    async recoverRuns() {
      const rows = await write({ name: "recoverRuns", input: null });
      return rows.map(decodeRun);
    },
    addFile: settle("addFile"),
    noteFileUse: settle("noteFileUse"),
    deleteUnusedFiles: answer("deleteUnusedFiles"),
    appendRunLog: settle("appendRunLog"),
    grantApproval: answer("grantApproval"),
    removeDue: settle("removeDue"),
    setMoment: settle("setMoment"),
    deleteSlots: (before, limit) => write({ name: "deleteSlots", input: { before, limit } }),
    updateNotice: settle("updateNotice"),
    addAudit: settle("addAudit"),
    deleteExpired: answer("deleteExpired"),
    deleteRun: answer("deleteRun"),
    reclaimSpace: answer("reclaimSpace"),
  } satisfies Partial<Store>;
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
