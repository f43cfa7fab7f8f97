import type { RunCommit, RunRecord } from "../../store/store.ts";
import type { Graph } from "../graph/graph.ts";

/** A commit of a run that is durable; its payloads are redacted. */
export type CommittedRun = { run: RunRecord; graph: Graph; commit: RunCommit };

/** Hears of each commit of a run once it is durable, in their order (contract 5). Must not throw. */
export type RunObserver = (committed: CommittedRun) => void;
