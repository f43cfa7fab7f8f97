import type { NewRun, RunCommit, Store } from "../store.ts";
import { prepareActionReads } from "./action-reads.ts";
import { CommitQueue, type WriteStats } from "./commit-queue.ts";
import { isInMemory, openReader, openWriter, type DatabasePlace } from "./connection.ts";
import { encodeEvent } from "./event-row.ts";
import { linkInline } from "./inline-link.ts";
import { prepareKeyReads } from "./key-reads.ts";
import { prepareListRuns } from "./list-runs.ts";
import { prepareRunReads } from "./run-reads.ts";
import { decodeRun, newRunRecord } from "./run-row.ts";
import { RunWatch } from "./run-watch.ts";
import { linkThread, startWriterFromSources, type StartWriter } from "./thread-link.ts";
import { prepareWorkflowReads } from "./workflow-reads.ts";
import type { WriterLink } from "./writer-link.ts";

export type SqliteOptions = DatabasePlace & {
  /** Where writes execute: on a thread of their own, or on the caller's (tests, simulations, `:memory:`). */
  writer: "thread" | "inline";
  /** Starts the writer's thread; a bundle passes its own. */
  newWorker?: StartWriter;
};

export type SqliteStore = Store & {
  /** How many writes shared how many commits since the store was opened. */
  stats(): WriteStats;
};

/**
 * Opens the database, creating or migrating it. Reads run on the calling thread. Rejects when the file cannot be used or
 * a newer Stepgate wrote it.
 */
export async function openSqliteStore({ writer, newWorker, ...place }: SqliteOptions): Promise<SqliteStore> {
  if (writer === "thread" && isInMemory(place.file)) throw new Error("A database in memory has no writer thread");
  const watch = new RunWatch();
  const queue = new CommitQueue((change) => watch.tell(change));
  if (writer === "thread") {
    const link = await linkThread(place, newWorker ?? startWriterFromSources, queue);
    queue.connect(link);
    return assemble(openReader(place), link, queue, watch);
  }
  const db = openWriter(place);
  const link = linkInline(db, queue);
  queue.connect(link);
  return assemble(isInMemory(place.file) ? db : openReader(place), link, queue, watch);
}

function assemble(
  reader: ReturnType<typeof openReader>,
  link: WriterLink,
  queue: CommitQueue,
  watch: RunWatch,
): SqliteStore {
  const reads = {
    ...prepareKeyReads(reader),
    ...prepareWorkflowReads(reader),
    ...prepareActionReads(reader),
    ...prepareRunReads(reader),
    listRuns: prepareListRuns(reader),
  };
  let closing: Promise<void> | null = null;
  async function close(): Promise<void> {
    await queue.drain();
    reader.close();
    await link.close();
  }
  const refuseWhenClosed = () => {
    if (closing) throw new Error("The store is closed");
  };
  const write: CommitQueue["write"] = async (name, input) => {
    refuseWhenClosed();
    return queue.write(name, input);
  };
  const read = <A extends unknown[], V>(query: (...args: A) => V) =>
    async (...args: A): Promise<V> => {
      refuseWhenClosed();
      return query(...args);
    };
  return {
    findWorkspace: read(reads.findWorkspace),
    getWorkspace: read(reads.getWorkspace),
    listKeys: read(reads.listKeys),
    findKeysByPrefix: read(reads.findKeysByPrefix),
    findWorkflow: read(reads.findWorkflow),
    findDeployedVersion: read(reads.findDeployedVersion),
    getVersion: read(reads.getVersion),
    listActions: read(reads.listActions),
    findAction: read(reads.findAction),
    findRun: read(reads.findRun),
    listRuns: read(reads.listRuns),
    listAccepted: read(reads.listAccepted),
    readJournal: read(reads.readJournal),
    createKey: (input) => write("createKey", input),
    async revokeKey(input) {
      const isFound = await write("revokeKey", input);
      return isFound ? reads.getKey(input.workspaceId, input.id) : null;
    },
    async touchKeys(uses) {
      await write("touchKeys", uses);
    },
    publishVersion: (input) => write("publishVersion", input),
    async createRun(input) {
      const answer = await write("createRun", encodeNewRun(input));
      return answer.kind === "created" ? { kind: "created", run: newRunRecord(input) } : answer;
    },
    commitRun: (commit) => write("commitRun", encodeCommit(commit)),
    recoverRuns: async () => (await write("recoverRuns", null)).map(decodeRun),
    watchRuns: (runId, listener) => watch.add(runId, listener),
    schemaVersion: () => link.schemaVersion,
    stats: () => queue.stats(),
    close: () => (closing ??= close()),
  };
}

function encodeNewRun(run: NewRun) {
  return { ...run, input: JSON.stringify(run.input) };
}

function encodeCommit({ events, output, error, ...commit }: RunCommit) {
  return {
    ...commit,
    events: events.map(encodeEvent),
    output: output === undefined ? null : JSON.stringify(output),
    error: error === undefined ? null : JSON.stringify(error),
  };
}
