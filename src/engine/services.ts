import type { Limits } from "../contract/limits.ts";
import type { RunRecord, Store } from "../store/store.ts";
import type { Ending, RunPlace } from "./execute-run.ts";
import type { NodeType } from "./node.ts";
import type { Sealer } from "./seal.ts";
import type { ScriptRunner } from "./script.ts";
import type { VersionCache } from "./versions.ts";
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
  /** Tells the worker of a run that became durable as `accepted`. */
  wake(run: RunRecord): void;
  /** Has a run looked at again: a moment came, or somebody decided. */
  resume(run: RunPlace): void;
  /** Ends a run from outside, whoever executes it. False when it was over or the decision came too late. */
  end(run: RunPlace, ending: Ending): Promise<boolean>;
};
