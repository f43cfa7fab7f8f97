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

export function createEngine({ approvals, log, ...parts }: EngineParts): Engine {
  const { store, world, limits, catalogue, tracing } = parts;
  const responses = createPendingResponses(world.newId(), world);
  const versions = createVersionCache(store, catalogue);
  const sealer = createSealer(parts.masterKey, parts.randomBytes);
  const cipher = createCipher(parts.masterKey, parts.randomBytes);
  const values = createWorkspaceValues(store, cipher);
  log.hide(() => values.knownAnywhere());
  const connections = openConnections({
    store,
    values,
    world,
    replaceSecrets: async (kept, secrets) => replaceCredentials({ store, cipher, world, values }, kept, secrets),
    noteStatus: async (kept, status) => noteConnectionStatus(services, kept, status),
    refreshCredentials: async (workspaceId, connection) => refresh(workspaceId, connection),
  });
  const built = createBuiltConnectors(store);
  const files = createFiles({
    store,
    world,
    content: parts.content ?? noContent,
    maxBytes: parts.outside.files.maxBytes,
  });
  const startChild: CallerParts["startChildRun"] = async (place, request) => startChildRun(services, place, request);
  const outsideParts = { ...parts, files, own: built, startChildRun: startChild };
  const { services: outside, egress } = createOutside(outsideParts, connections);
  const refresh = createRefresher({
    ...outside,
    world,
    onRefused: ({ id, name, connector }, reason) =>
      log.warn({ connection: id, name, connector, reason }, "A connection's access could not be renewed"),
  });
  const polls = createPoller({
    poll: async (subscriptionId, signal) => pollTrigger(services, subscriptionId, signal),
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
  const scripts = parts.scripts ?? createScriptRunner();
  const worker = createWorker({
    store,
    world,
    limits,
    versions,
    sealer,
    values,
    scripts,
    responses,
    calls: outside.calls,
    retries: outside.retries,
    tellsPeople: parts.tellsPeople,
    observe: parts.observe,
    ...(tracing && { traceparentOf: tracing.ofStep }),
    log: createRunLog(store, world, log, values),
    onError: (err, runId) => log.error({ err, runId }, "A run's execution broke off; the next start takes it up again"),
  });
  const services: Services = {
    store,
    world,
    limits,
    catalogue,
    versions,
    sealer,
    values,
    scripts,
    needsKeyToDecide: approvals.requireKey,
    allowsSelfDecision: approvals.selfDecision ?? true,
    protectsGates: approvals.protectGates ?? true,
    randomBytes: parts.randomBytes,
    cipher,
    files,
    ...outside,
    builds: builder,
    polls,
    responses,
    wake: (run) => worker.wake(run),
    resume: (run) => worker.resume(run),
    end: async (run, ending) => worker.end(run, ending),
    tellsPeople: parts.tellsPeople,
    traceparent: () => tracing?.current() ?? null,
    wakeAt: (at) => due.wakeAt(at),
  };
  const due: DueLoop = createMoments({ ...parts, log, services });
  return { services, worker, due, egress, builder, stopScripts: () => scripts.stop() };
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
