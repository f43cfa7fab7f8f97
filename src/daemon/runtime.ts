import type { DaemonStatus } from "../contract/control.ts";
import { ApiError } from "../contract/errors.ts";
import type { Limits } from "../contract/limits.ts";
import { type OutsideSettings, defaultOutside } from "../contract/outside.ts";
import { type Retention, defaultRetention } from "../contract/retention.ts";
import { connectors as bundled } from "../connectors/index.ts";
import type { Connector } from "../engine/connector.ts";
import { webhookPath } from "../contract/webhook.ts";
import { type KeyRing, createKeyRing } from "../engine/keys.ts";
import type { FileContent } from "../engine/files.ts";
import type { NodeType } from "../engine/node.ts";
import type { Services } from "../engine/services.ts";
import { openPolls } from "../engine/events/arm-polls.ts";
import { openSchedules } from "../engine/schedule/pass-schedule.ts";
import type { World } from "../engine/world.ts";
import type { Store } from "../store/store.ts";
import { createControlApp } from "./control/control-app.ts";
import { type Address, type CheckOrigin, createOriginCheck } from "./http/check-origin.ts";
import { createKeyGate } from "./http/key-gate.ts";
import { createOpenAnswers } from "./http/open-answers.ts";
import { createLinkTokens } from "./http/serve-links.ts";
import { watchActions } from "./watch-actions.ts";
import { type FetchApp, createRuntimeApp } from "./http/runtime-app.ts";
import { createEngine } from "./create-engine.ts";
import type { ResolveName } from "./egress/guarded-agent.ts";
import type { Log } from "./log.ts";
import { startDeliveryLog } from "./loops/delivery-log.ts";
import { startKeyUses } from "./loops/key-uses.ts";
import { startRetention } from "./loops/retention-loop.ts";
import { createSavedRateLimiter } from "./loops/rate-hits.ts";
import type { Worker } from "./loops/worker.ts";
import { createMetrics } from "./metrics.ts";
import { type Channel, type NotifySettings, createChannels } from "./notify/channels.ts";
import { createNotifier } from "./notify/notifier.ts";
import { operations, toolOperations } from "./operations/index.ts";
import type { Tracing } from "./tracing/tracing.ts";

export type RuntimeParts = {
  store: Store;
  world: World;
  limits: Limits;
  catalogue: readonly NodeType[];
  /** Connectors that every workspace has; default the bundled ones. */
  connectors?: readonly Connector[];
  outside?: OutsideSettings;
  /** The daemon's environment; default nothing. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** How names are resolved; default as the operating system does it. */
  resolveName?: ResolveName;
  log: Log;
  version: string;
  /** The user of this machine. */
  userId: string;
  randomBytes(length: number): Uint8Array;
  /** Seals the originals of redacted payloads. */
  masterKey: Uint8Array;
  retention?: Retention;
  /** Where the bytes of files are kept; absent: nowhere, and calls that make files fail. */
  content?: FileContent;
  approvals?: ApprovalSettings;
  /** Absent: traces are off. */
  tracing?: Tracing;
  /** Ways to reach people; default those of the settings. */
  channels?: readonly Channel[];
  status(activeRuns: number): DaemonStatus;
  /** Whether callers of other machines may read the metrics; default no. */
  isMetricsPublic?: boolean;
  /** Whether schedules start runs; default yes. */
  firesSchedules?: boolean;
  /** Called when the control channel asks for the daemon's end. */
  onStop(): void;
};

/** How gates are decided beside the API and the command line, and who is told of them (contract 7, 17). */
export type ApprovalSettings = {
  requireKey: boolean;
  protectGates?: boolean;
  selfDecision?: boolean;
  links: boolean;
  notify: NotifySettings;
};

const defaultApprovals: ApprovalSettings = {
  requireKey: false,
  links: false,
  notify: { command: null, webhook: null, webhookSecret: null, desktop: false },
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
  const place: Place = { state: "starting", checkOrigin: refuseEarly, port: null, url: "", webhookBase: "" };
  const core = assemble(parts, place);
  const { services, keys, worker, answers } = core;
  return {
    services,
    keys,
    worker,
    ...createApps(parts, place, core),
    open: async (address) => open(core, place, address, parts.log),
    beginStop() {
      place.state = "stopping";
      answers.endAll();
    },
    stop: async (drainMs) => stop(core, drainMs),
  };
}

/** Where a daemon is in its life, and where it is reached; what is not known yet is filled in when it opens. */
type Place = {
  state: "starting" | "ready" | "stopping";
  checkOrigin: CheckOrigin;
  port: number | null;
  url: string;
  webhookBase: string;
};

type Core = ReturnType<typeof assemble>;

/** The engine and what stands beside it. Nothing has begun yet. */
function assemble(parts: RuntimeParts, place: Place) {
  const { log, version, tracing = null, approvals = defaultApprovals } = parts;
  const { channels = createChannels(approvals.notify, parts.world) } = parts;
  const { store, onActionsChange } = watchActions(parts.store);
  const metrics = createMetrics({
    store,
    version,
    activeRuns: () => engine.worker.activeRuns(),
    breakers: async () => engine.services.breakers.list(null),
  });
  const engine = createEngine({
    ...parts,
    store,
    connectors: parts.connectors ?? bundled,
    outside: parts.outside ?? defaultOutside,
    environment: parts.environment ?? {},
    ownPort: () => place.port,
    approvals,
    tracing,
    tellsPeople: channels.length > 0,
    observe(committed) {
      metrics.countSteps(committed);
      tracing?.observeRun(committed);
    },
    passOther: async (moment) => (moment.kind === "notice" ? notifier.tell(moment) : upkeep.retention.pass()),
    onClockSetBack: async () => upkeep.retention.open(),
  });
  const links = approvals.links ? createLinkTokens(parts.masterKey) : null;
  const linkOf = (workspaceId: number, id: string) => links && `${place.url}/approvals/${links.make(workspaceId, id)}`;
  const notifier = createNotifier({ services: engine.services, channels, log, linkOf });
  const answers = createOpenAnswers(parts.world);
  const keys = createKeyRing({ ...parts, onRevoke: (keyId) => answers.endKey(keyId) });
  const upkeep = startUpkeep(parts, keys, engine.services);
  return { ...engine, metrics, links, notifier, answers, keys, upkeep, tracing, onActionsChange };
}

function createApps(parts: RuntimeParts, place: Place, core: Core): Pick<Runtime, "runtimeApp" | "controlApp"> {
  const { log, version, userId } = parts;
  const { services, answers, metrics, links, keys, worker, tracing, onActionsChange, upkeep } = core;
  const shared = { operations, services, answers, log, version, deliveries: upkeep.deliveries };
  return {
    runtimeApp: createRuntimeApp({
      ...shared,
      tools: toolOperations,
      links: links && { tokens: links, userId },
      tracing,
      onActionsChange,
      admit: createKeyGate(keys, upkeep.rates.limiter, parts.limits, metrics.countRefusal, version),
      metrics,
      isMetricsPublic: parts.isMetricsPublic ?? false,
      isReady: () => place.state === "ready",
      checkOrigin: (request) => place.checkOrigin(request),
    }),
    controlApp: createControlApp({
      ...shared,
      keys,
      webhookUrl: (id) => `${place.webhookBase}${webhookPath}${id}`,
      userId,
      stop: parts.onStop,
      status: () => parts.status(worker.activeRuns()),
      isStopping: () => place.state === "stopping",
    }),
  };
}

/** Takes up what earlier lives left, then lets callers in. */
async function open({ services, worker, due, builder, upkeep }: Core, place: Place, address: Address, log: Log) {
  await upkeep.rates.load();
  place.url = addressOf(address);
  place.webhookBase = address.webhookBase?.replace(/\/$/, "") ?? place.url;
  place.port = address.port;
  for (const problem of await services.values.load()) log.error(problem);
  await worker.recover();
  await openSchedules(services);
  await openPolls(services);
  await upkeep.retention.open();
  // Requests that expired while nobody was there are expired before anybody can decide them (contract 7).
  await due.start();
  place.checkOrigin = createOriginCheck(address);
  builder.open();
  place.state = "ready";
}

async function stop(core: Core, drainMs: number): Promise<void> {
  core.due.stop();
  core.notifier.stop();
  // Side by side: the time that steps have to drain begins now.
  const polls = core.services.polls.stop();
  await core.worker.stop(drainMs);
  await polls;
  core.stopScripts();
  await core.builder.stop();
  await core.egress.close();
  await core.upkeep.stop();
  core.metrics.stop();
  await core.tracing?.stop();
}

/** What is written and deleted beside requests and runs: uses of keys, the window of requests, what has had its time. */
function startUpkeep(
  { store, world, log, ...parts }: RuntimeParts,
  keys: KeyRing,
  { wakeAt, files }: Pick<Services, "wakeAt" | "files">,
) {
  const keyUses = startKeyUses(keys, world, log);
  const retention = startRetention({
    store,
    world,
    wakeAt,
    sweepFiles: async () => files.sweep(),
    retention: parts.retention ?? defaultRetention,
    onError: (err) => log.error({ err }, "What has had its time could not be deleted; the next pass tries again"),
  });
  const rates = createSavedRateLimiter(store, world, log);
  const deliveries = startDeliveryLog(store, world, log);
  return {
    rates,
    deliveries,
    retention,
    async stop(): Promise<void> {
      await retention.stop();
      await keyUses.stop();
      await rates.stop();
      await deliveries.stop();
    },
  };
}

function refuseEarly(): never {
  throw new ApiError("OVERLOADED", "The daemon is not ready", { retryAfterSeconds: 1 });
}

function addressOf({ baseUrl, port }: Address): string {
  return baseUrl?.replace(/\/$/, "") ?? `http://127.0.0.1:${port}`;
}
