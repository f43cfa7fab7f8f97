import type { Limits } from "../contract/limits.ts";
import type { NodeType } from "../engine/node.ts";
import { passMoment } from "../engine/pass-moment.ts";
import { createSealer } from "../engine/redaction/seal.ts";
import type { Services } from "../engine/services.ts";
import { createVersionCache } from "../engine/graph/versions.ts";
import type { World } from "../engine/world.ts";
import type { Store } from "../store/store.ts";
import type { Log } from "./log.ts";
import { type DueLoop, createDueLoop } from "./loops/due-loop.ts";
import { type Worker, createWorker } from "./loops/worker.ts";
import { createRunLog } from "./run-log.ts";
import { createScriptRunner } from "./sandbox/script-runner.ts";

export type EngineParts = {
  store: Store;
  world: World;
  limits: Limits;
  catalogue: readonly NodeType[];
  log: Log;
  masterKey: Uint8Array;
  randomBytes(length: number): Uint8Array;
  approvals: { requireKey: boolean; protectGates?: boolean; selfDecision?: boolean };
};

/** What runs runs: the use cases' services, the worker, and the loop that lets time take effect. Nothing has begun yet. */
export type Engine = { services: Services; worker: Worker; due: DueLoop; stopScripts(): void };

export function createEngine({ approvals, log, ...parts }: EngineParts): Engine {
  const { store, world, limits, catalogue } = parts;
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
    needsKeyToDecide: approvals.requireKey,
    allowsSelfDecision: approvals.selfDecision ?? true,
    protectsGates: approvals.protectGates ?? true,
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
  return { services, worker, due, stopScripts: () => scripts.stop() };
}
