import { randomBytes } from "node:crypto";
import { defaultLimits } from "../../contract/limits.ts";
import { defaultOutside } from "../../contract/outside.ts";
import { connectors as bundled } from "../../connectors/index.ts";
import type { NodeType } from "../../engine/node.ts";
import type { ScriptRunner } from "../../engine/script.ts";
import type { Services } from "../../engine/services.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { createEngine } from "../create-engine.ts";
import { createLog } from "../log.ts";
import { sqliteBinding } from "../native/entry-points.ts";
import { type FrozenClock, frozenWorld } from "./frozen-world.ts";

/** The default workspace of a store that was just made. */
export const workspaceId = 1;
export const userId = "test";

/** The real engine on a store in memory, with a clock that stands still and no way outside. */
export type Bench = {
  services: Services;
  clock: FrozenClock;
  /** What the engine had to say to its log, at worst an error of its own. */
  logged: readonly string[];
  close(): Promise<void>;
};

export type BenchParts = { now: number; catalogue: readonly NodeType[]; scripts: ScriptRunner & { stop(): void } };

/**
 * Opens a bench. Workspaces may have connectors and connections that are not known here: publishing on it takes their
 * word for it, and only warns.
 */
export async function openBench({ now, catalogue, scripts }: BenchParts): Promise<Bench> {
  const store = await openSqliteStore({ file: ":memory:", writer: "inline", ...sqliteBinding() });
  const { world, clock } = frozenWorld(now);
  const logged: string[] = [];
  const engine = createEngine({
    store,
    world,
    catalogue,
    scripts,
    randomBytes,
    limits: defaultLimits,
    log: createLog({ format: "json", level: "error", write: (line) => logged.push(line) }),
    // Nothing that is sealed here outlives the process.
    masterKey: randomBytes(32),
    connectors: bundled,
    outside: defaultOutside,
    environment: {},
    ownPort: () => null,
    approvals: { requireKey: false },
    tracing: null,
    observe: () => undefined,
    tellsPeople: false,
    passOther: async () => undefined,
    onClockSetBack: async () => undefined,
  });
  const { worker, due, builder, egress } = engine;
  await engine.services.values.load();
  await due.start();
  return {
    services: {
      ...engine.services,
      connectors: { ...engine.services.connectors, isPartial: true },
      connections: { ...engine.services.connections, open: unknownHere },
    },
    clock,
    logged,
    async close() {
      due.stop();
      const stopped = worker.stop(0);
      clock.jumpTo(world.now().getTime());
      await stopped;
      await builder.stop();
      await egress.close();
      await store.close();
    },
  };
}

async function unknownHere(): Promise<never> {
  return Promise.reject(new Error("Connections are known to the daemon alone"));
}
