import type { DaemonStatus } from "../contract/control.ts";
import { ApiError } from "../contract/errors.ts";
import type { Limits } from "../contract/limits.ts";
import { type Retention, defaultRetention } from "../contract/retention.ts";
import { type KeyRing, createKeyRing } from "../engine/keys.ts";
import type { NodeType } from "../engine/node.ts";
import { createSealer } from "../engine/seal.ts";
import type { Services } from "../engine/services.ts";
import { passMoment } from "../engine/pass-moment.ts";
import { createVersionCache } from "../engine/versions.ts";
import type { World } from "../engine/world.ts";
import type { Store } from "../store/store.ts";
import { createControlApp } from "./control/control-app.ts";
import { type Address, type CheckOrigin, createOriginCheck } from "./http/check-origin.ts";
import { createKeyGate } from "./http/key-gate.ts";
import { createOpenAnswers } from "./http/open-answers.ts";
import { type FetchApp, createRuntimeApp } from "./http/runtime-app.ts";
import type { Log } from "./log.ts";
import { createDueLoop } from "./loops/due-loop.ts";
import { startKeyUses } from "./loops/key-uses.ts";
import { startRetention } from "./loops/retention-loop.ts";
import { createSavedRateLimiter } from "./loops/rate-hits.ts";
import { type Worker, createWorker } from "./loops/worker.ts";
import { createMetrics } from "./metrics.ts";
import { operations } from "./operations/index.ts";
import { createRunLog } from "./run-log.ts";
import { createScriptRunner } from "./sandbox/script-runner.ts";

export type RuntimeParts = {
  store: Store;
  world: World;
  limits: Limits;
  catalogue: readonly NodeType[];
  log: Log;
  version: string;
  /** The user of this machine. */
  userId: string;
  randomBytes(length: number): Uint8Array;
  /** Seals the originals of redacted payloads. */
  masterKey: Uint8Array;
  retention?: Retention;
  status(activeRuns: number): DaemonStatus;
  /** Whether callers of other machines may read the metrics; default no. */
  isMetricsPublic?: boolean;
  /** Called when the control channel asks for the daemon's end. */
  onStop(): void;
};

/** All of a daemon but its home and its sockets: tests hold it in memory. */
export type Runtime = {
  services: Services;
  keys: KeyRing;
  worker: Worker;
  runtimeApp: FetchApp;
  controlApp: FetchApp;
  /** Takes up earlier runs, then lets callers in under an address; until then every request is refused. */
  open(address: Address): Promise<void>;
  /** From here on streams and held answers are ended and the control channel refuses what needs the store. */
  beginStop(): void;
  /** Waits for the steps in progress, at most `drainMs`, and writes what is left in memory. */
  stop(drainMs: number): Promise<void>;
};

export function createRuntime(parts: RuntimeParts): Runtime {
  const { store, world, limits, catalogue, log, version } = parts;
  let state: "starting" | "ready" | "stopping" = "starting";
  let checkOrigin: CheckOrigin = () => {
    throw new ApiError("OVERLOADED", "The daemon is not ready", { retryAfterSeconds: 1 });
  };
  const versions = createVersionCache(store, catalogue);
  const sealer = createSealer(parts.masterKey, parts.randomBytes);
  const scripts = createScriptRunner();
  const worker = createWorker({
    store,
    world,
    limits,
    versions,
    sealer,
    scripts,
    log: createRunLog(store, world, log),
    onError: (err, runId) => log.error({ err, runId }, "A run's execution broke off; the next start takes it up again"),
  });
  const services: Services = {
    store,
    world,
    limits,
    catalogue,
    versions,
    sealer,
    scripts,
    wake: (run) => worker.wake(run),
    resume: (run) => worker.resume(run),
    end: async (run, ending) => worker.end(run, ending),
  };
  const due = createDueLoop({
    store,
    world,
    handle: async (moment) => passMoment(services, moment),
    onError: (err) => log.error({ err }, "A moment that came due could not be dealt with; it is tried again"),
  });
  const answers = createOpenAnswers();
  const keys = createKeyRing({ ...parts, onRevoke: (keyId) => answers.endKey(keyId) });
  const shared = { operations, services, answers, log, version };
  const keyUses = startKeyUses(keys, world, log);
  const retention = startRetention({
    store,
    world,
    retention: parts.retention ?? defaultRetention,
    onError: (err) => log.error({ err }, "What has had its time could not be deleted; the next pass tries again"),
  });
  const rates = createSavedRateLimiter(store, world, log);
  const metrics = createMetrics({ store, version, activeRuns: () => worker.activeRuns() });
  return {
    services,
    keys,
    worker,
    runtimeApp: createRuntimeApp({
      ...shared,
      admit: createKeyGate(keys, rates.limiter, limits, metrics.countRefusal),
      metrics,
      isMetricsPublic: parts.isMetricsPublic ?? false,
      isReady: () => state === "ready",
      checkOrigin: (request) => checkOrigin(request),
    }),
    controlApp: createControlApp({
      ...shared,
      keys,
      userId: parts.userId,
      status: () => parts.status(worker.activeRuns()),
      stop: parts.onStop,
      isStopping: () => state === "stopping",
    }),
    async open(address) {
      await rates.load();
      await worker.recover();
      // Requests that expired while nobody was there are expired before anybody can decide them (contract 7).
      await due.start();
      checkOrigin = createOriginCheck(address);
      state = "ready";
    },
    beginStop() {
      state = "stopping";
      answers.endAll();
    },
    async stop(drainMs) {
      due.stop();
      await worker.stop(drainMs);
      scripts.stop();
      await retention.stop();
      await keyUses.stop();
      await rates.stop();
      metrics.stop();
    },
  };
}
