import type { Limits } from "../contract/limits.ts";
import type { CallerParts } from "../engine/calls/connector-caller.ts";
import { startChildRun } from "../engine/child-runs.ts";
import { noteConnectionStatus, replaceCredentials } from "../engine/connections.ts";
import { rearmPolls } from "../engine/events/arm-polls.ts";
import { pollTrigger } from "../engine/events/poll-trigger.ts";
import { createPoller } from "../engine/events/poller.ts";
import { createRefresher } from "../engine/oauth/refresh-credentials.ts";
import { openConnections } from "../engine/open-connections.ts";
import type { NodeType } from "../engine/node.ts";
import type { RunObserver } from "../engine/execution/run-observer.ts";
import { type PassOther, passMoment } from "../engine/pass-moment.ts";
import { rearmSchedules } from "../engine/schedule/pass-schedule.ts";
import { createCipher } from "../engine/redaction/cipher.ts";
import { createSealer } from "../engine/redaction/seal.ts";
import type { ScriptRunner } from "../engine/script.ts";
import type { Services } from "../engine/services.ts";
import { type FileContent, createFiles, noContent } from "../engine/files.ts";
import { createVersionCache } from "../engine/graph/versions.ts";
import { createPendingResponses } from "../engine/webhooks/pending-responses.ts";
import { createWorkspaceValues } from "../engine/workspace-values.ts";
import type { World } from "../engine/world.ts";
import type { Store } from "../store/store.ts";
import { createBuiltConnectors } from "./connectors/built-connectors.ts";
import { type ConnectorBuilder, createConnectorBuilder } from "./connectors/connector-builder.ts";
import { type OutsideParts, createOutside } from "./create-outside.ts";
import type { Egress } from "./egress/create-egress.ts";
import type { Log } from "./log.ts";
import { type DueLoop, createDueLoop } from "./loops/due-loop.ts";
import { type Worker, createWorker } from "./loops/worker.ts";
import { createRunLog } from "./run-log.ts";
import type { Tracing } from "./tracing/tracing.ts";
import { createScriptRunner } from "./sandbox/script-runner.ts";

export type EngineParts = OutsideParts & {
  store: Store;
  world: World;
  limits: Limits;
  catalogue: readonly NodeType[];
  log: Log;
  masterKey: Uint8Array;
  randomBytes(length: number): Uint8Array;
  /** Where the bytes of files are kept; absent: nowhere, and calls that make files fail. */
  content?: FileContent;
  approvals: { requireKey: boolean; protectGates?: boolean; selfDecision?: boolean };
  /** Null when traces are off. */
  tracing: Tracing | null;
  /** Told of each durable commit of a run. */
  observe: RunObserver;
  tellsPeople: boolean;
  /** Absent: yes. */
  firesSchedules?: boolean;
  passOther: PassOther;
  onClockSetBack(): Promise<void>;
  /** Runs users' scripts; default a runner of its own. */
  scripts?: ScriptRunner & { stop(): void };
};

/** What runs runs: the use cases' services, the worker, and the loop that lets time take effect. Nothing has begun yet. */
export type Engine = {
  services: Services;
  worker: Worker;
  due: DueLoop;
  egress: Egress;
  builder: ConnectorBuilder;
  stopScripts(): void;
};

export function createEngine(parts: EngineParts): Engine {
  const { store, world, limits, catalogue, tracing, approvals, tellsPeople } = parts;
  const base = createBase(parts);
  const { outside, egress, built } = reachOutside(parts, base, () => services);
  const { polls, builder } = createTakers(parts, base, built, () => services);
  const worker = createRunWorker(parts, base, outside);
  const services: Services = {
    store,
    world,
    limits,
    catalogue,
    ...base,
    needsKeyToDecide: approvals.requireKey,
    allowsSelfDecision: approvals.selfDecision ?? true,
    protectsGates: approvals.protectGates ?? true,
    randomBytes: parts.randomBytes,
    ...outside,
    builds: builder,
    polls,
    wake: (run) => worker.wake(run),
    resume: (run) => worker.resume(run),
    end: async (run, ending) => worker.end(run, ending),
    tellsPeople,
    firesSchedules: parts.firesSchedules ?? true,
    traceparent: () => tracing?.current() ?? null,
    wakeAt: (at) => due.wakeAt(at),
  };
  const due: DueLoop = createMoments({ ...parts, services });
  return { services, worker, due, egress, builder, stopScripts: () => base.scripts.stop() };
}

/** What stands by itself. */
function createBase(parts: EngineParts) {
  const { store, world, catalogue, log, masterKey, randomBytes } = parts;
  const cipher = createCipher(masterKey, randomBytes);
  const values = createWorkspaceValues(store, cipher);
  log.hide(() => values.knownAnywhere());
  const { content = noContent, outside } = parts;
  return {
    cipher,
    values,
    responses: createPendingResponses(world.newId(), world),
    versions: createVersionCache(store, catalogue),
    sealer: createSealer(masterKey, randomBytes),
    files: createFiles({ store, world, content, maxBytes: outside.files.maxBytes }),
    scripts: parts.scripts ?? createScriptRunner(),
  };
}

type Base = ReturnType<typeof createBase>;

/** Connections, and the calls that go through them. `services` is asked for when a call needs it. */
function reachOutside(parts: EngineParts, { cipher, values, files }: Base, services: () => Services) {
  const { store, world, log } = parts;
  const connections = openConnections({
    store,
    values,
    world,
    replaceSecrets: async (kept, secrets) => replaceCredentials({ store, cipher, world, values }, kept, secrets),
    noteStatus: async (kept, status) => noteConnectionStatus(services(), kept, status),
    refreshCredentials: async (workspaceId, connection) => refresh(workspaceId, connection),
  });
  const built = createBuiltConnectors(store);
  const startChild: CallerParts["startChildRun"] = async (place, request) => startChildRun(services(), place, request);
  const { services: outside, egress } = createOutside(
    { ...parts, values, files, own: built, startChildRun: startChild },
    connections,
  );
  const refresh = createRefresher({
    ...outside,
    world,
    onRefused: ({ id, name, connector }, reason) =>
      log.warn({ connection: id, name, connector, reason }, "A connection's access could not be renewed"),
  });
  return { outside, egress, built };
}

type Outside = ReturnType<typeof reachOutside>;

/** Who takes up polls that are due and connectors that are to be built. */
function createTakers(parts: EngineParts, { values }: Base, built: Outside["built"], services: () => Services) {
  const { store, world, log } = parts;
  const polls = createPoller({
    poll: async (subscriptionId, signal) => pollTrigger(services(), subscriptionId, signal),
    onError: (err, subscription) =>
      log.error({ err, subscription }, "A trigger could not be polled; it is tried again within a minute"),
  });
  const builder = createConnectorBuilder({
    store,
    world,
    values,
    bundled: parts.connectors,
    built,
    onError: (err, buildId) => log.error({ err, buildId }, "A connector could not be built"),
  });
  return { polls, builder };
}

function createRunWorker(parts: EngineParts, base: Base, { calls, retries }: Outside["outside"]): Worker {
  const { store, world, limits, log, tracing, tellsPeople, observe } = parts;
  const { versions, sealer, values, scripts, responses } = base;
  return createWorker({
    store,
    world,
    limits,
    versions,
    sealer,
    values,
    scripts,
    responses,
    calls,
    retries,
    tellsPeople,
    observe,
    ...(tracing && { traceparentOf: tracing.ofStep }),
    log: createRunLog(store, world, log, values),
    onError: (err, runId) =>
      log.error(
        { err, runId },
        "A run's execution broke off; where a write was refused it is tried again, else at the next start",
      ),
  });
}

type MomentParts = Pick<EngineParts, "log" | "tracing" | "passOther" | "onClockSetBack"> & { services: Services };

/** The loop of moments, with what each of them does. */
function createMoments({ services, log, tracing, passOther, onClockSetBack }: MomentParts): DueLoop {
  // What time does belongs to no call, even where a call woke the loop.
  const detach = tracing ? tracing.detach : <T>(action: () => T): T => action();
  return createDueLoop({
    store: services.store,
    world: services.world,
    handle: async (moment) => detach(async () => passMoment(services, moment, passOther)),
    async onJump(ms) {
      log.warn({ seconds: Math.round(ms / 1000) }, "The clock jumped: it was set, or the machine slept");
      if (ms > 0) return;
      await rearmSchedules(services);
      await rearmPolls(services);
      await onClockSetBack();
    },
    onError: (err) => log.error({ err }, "A moment that came due could not be dealt with; it is tried again"),
  });
}
