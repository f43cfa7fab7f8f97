import type { Limits } from "../contract/limits.ts";
import type { RunRecord, Store } from "../store/store.ts";
import type { RunPlace } from "./execution/execute-run.ts";
import type { Ending } from "./execution/run-inbox.ts";
import type { NodeType } from "./node.ts";
import type { Sealer } from "./redaction/seal.ts";
import type { ScriptRunner } from "./script.ts";
import type { VersionCache } from "./graph/versions.ts";
import type { World } from "./world.ts";

/** What every use case is given. The engine receives the catalogue and never imports nodes (design 1). */
export type Services = {
  store: Store;
  world: World;
  limits: Limits;
  catalogue: readonly NodeType[];
  versions: VersionCache;
  scripts: ScriptRunner;
  /** Keeps the originals of what redaction changes. */
  sealer: Sealer;
  /** Decisions over the local control channel are refused: every decision takes a key (`approvals.requireKey`). */
  needsKeyToDecide: boolean;
  /** A user may approve a run that the same user started (`approvals.selfDecision`). */
  allowsSelfDecision: boolean;
  /** Whoever takes a gate away has to be allowed to decide on it (contract 2). */
  protectsGates: boolean;
  /** Tells the worker of a run that became durable as `accepted`. */
  wake(run: RunRecord): void;
  /** Has a run looked at again: a moment came, or somebody decided. */
  resume(run: RunPlace): void;
  /** Ends a run from outside, whoever executes it. False when it was over or the decision came too late. */
  end(run: RunPlace, ending: Ending): Promise<boolean>;
};
