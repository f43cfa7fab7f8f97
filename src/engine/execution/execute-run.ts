import { isTerminal } from "../../contract/run.ts";
import type { RunRecord } from "../../store/store.ts";
import { loadFold } from "./load-fold.ts";
import type { ExecutorServices } from "./executor-services.ts";
import { RunExecution } from "./run-execution.ts";
import { type Ending, RunInbox } from "./run-inbox.ts";

export type { ExecutorServices };

/** Where a run is found. */
export type RunPlace = { id: string; workspaceId: number };

/** A run that is being executed. */
export type Execution = {
  /**
   * Settles when all that happened is durable: the run is over or parked, or `stop` asked for no new steps. Rejects with
   * FencedError when somebody else took the run, or with the store's error.
   */
  readonly done: Promise<void>;
  /** It was told to look after it last did: the run has to be taken up again. */
  readonly isPoked: boolean;
  /** Has the run looked at again: a moment came, or a request was decided. */
  poke(): void;
  /** Breaks off: steps in progress are aborted without an end in the journal, so that the next start repeats them. */
  abandon(): void;
  /** Ends the run, with its decision, in one commit. False when the decision came too late or the run is over. */
  end(ending: Ending): Promise<boolean>;
};

/** Executes a run from where its journal ends until it is over or nothing can happen but time and decisions. */
export function executeRun(
  services: ExecutorServices,
  load: () => RunRecord | Promise<RunRecord | null>,
  stop: AbortSignal,
): Execution {
  const inbox = new RunInbox();
  const done = execute(services, load, stop, inbox).finally(() => inbox.close());
  return {
    done,
    get isPoked() {
      return inbox.isPoked;
    },
    poke: () => inbox.poke(),
    abandon: () => inbox.abandon(),
    end: async (ending) => inbox.end(ending),
  };
}

async function execute(
  services: ExecutorServices,
  load: () => RunRecord | Promise<RunRecord | null>,
  stop: AbortSignal,
  inbox: RunInbox,
): Promise<void> {
  const run = await load();
  if (!run || isTerminal(run.status)) return;
  const { graph, onFailure } = await services.versions.load(run.versionId);
  const { fold, input, gone } = await loadFold(services, run, graph);
  await new RunExecution({ services, run, fold, input, gone, onFailure, stop, inbox }).run();
}
