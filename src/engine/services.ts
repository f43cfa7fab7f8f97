import type { Limits } from "../contract/limits.ts";
import type { RunRecord, Store } from "../store/store.ts";
import type { NodeType } from "./node.ts";
import type { VersionCache } from "./versions.ts";
import type { World } from "./world.ts";

/** What every use case is given. The engine receives the catalogue and never imports nodes (design 1). */
export type Services = {
  store: Store;
  world: World;
  limits: Limits;
  catalogue: readonly NodeType[];
  versions: VersionCache;
  /** Tells the worker of a run that became durable as `accepted`. */
  wake(run: RunRecord): void;
};
