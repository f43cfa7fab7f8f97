import type { NewApproval, NewRun, RunCommit, Store } from "../store.ts";
import type { ApprovalInsert } from "./approval-writes.ts";
import type { RunUpdate } from "./commit-run.ts";
import type { RunInsert } from "./create-run.ts";
import { encodeDraft } from "./draft-writes.ts";
import { encodeEvent } from "./event-row.ts";
import type { Operation, OperationName, OperationValue } from "./operations.ts";
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
  | "createWorkspace"
  | "setTier"
  | "publishVersion"
  | "createWorkflow"
  | "saveDraft"
  | "deleteWorkflow"
  | "createRun"
  | "commitRun"
  | "recoverRuns"
  | "appendRunLog"
  | "grantApproval"
  | "addAudit"
  | "removeDue"
  | "setActionStatus"
  | "deleteExpired"
  | "reclaimSpace";

/** The store's writes. Payloads become JSON text here, on the calling thread, since a text crosses threads cheaply. */
export function writeMethods(write: Write): Pick<Store, WriteName> {
  return {
    createKey: (input) => write({ name: "createKey", input }),
    revokeKey: (input) => write({ name: "revokeKey", input }),
    rotateKey: (input) => write({ name: "rotateKey", input }),
    createWorkspace: (input) => write({ name: "createWorkspace", input }),
    setTier: (input) => write({ name: "setTier", input }),
    async saveHits(input) {
      await write({ name: "saveHits", input });
    },
    async touchKeys(uses) {
      await write({ name: "touchKeys", input: uses });
    },
    publishVersion: async (input) => write({ name: "publishVersion", input: encodePublish(input) }),
    async createWorkflow(input) {
      await write({ name: "createWorkflow", input: encodeDraft(input) });
    },
    saveDraft: async (input) => write({ name: "saveDraft", input: encodeDraft(input) }),
    deleteWorkflow: (input) => write({ name: "deleteWorkflow", input }),
    async createRun(input) {
      const answer = await write({ name: "createRun", input: encodeNewRun(input) });
      return answer.kind === "created" ? { kind: "created", run: newRunRecord(input) } : answer;
    },
    commitRun: async (commit) => write({ name: "commitRun", input: encodeCommit(commit) }),
    async recoverRuns() {
      const rows = await write({ name: "recoverRuns", input: null });
      return rows.map(decodeRun);
    },
    async appendRunLog(input) {
      await write({ name: "appendRunLog", input });
    },
    grantApproval: (input) => write({ name: "grantApproval", input }),
    setActionStatus: (input) => write({ name: "setActionStatus", input }),
    async removeDue(input) {
      await write({ name: "removeDue", input });
    },
    async addAudit(input) {
      await write({ name: "addAudit", input });
    },
    deleteExpired: (input) => write({ name: "deleteExpired", input }),
    reclaimSpace: (pages) => write({ name: "reclaimSpace", input: pages }),
  };
}

function encodeNewRun(run: NewRun): RunInsert {
  const { replay } = run;
  return {
    ...run,
    input: JSON.stringify(run.input),
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
