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
  const { limits, log, version } = parts;
  const { store, onActionsChange } = watchActions(parts.store);
  let state: "starting" | "ready" | "stopping" = "starting";
  let checkOrigin: CheckOrigin = refuseEarly;
  const { approvals = defaultApprovals } = parts;
  const { tracing = null, channels = createChannels(approvals.notify, parts.world) } = parts;
  const metrics = createMetrics({
    store,
    version,
    activeRuns: () => worker.activeRuns(),
    breakers: async () => services.breakers.list(null),
  });
  let ownPort: number | null = null;
  const { services, worker, due, egress, builder, stopScripts } = createEngine({
    ...parts,
    store,
    connectors: parts.connectors ?? bundled,
    outside: parts.outside ?? defaultOutside,
    environment: parts.environment ?? {},
    ownPort: () => ownPort,
    approvals,
    tracing,
    tellsPeople: channels.length > 0,
    observe(committed) {
      metrics.countSteps(committed);
      tracing?.observeRun(committed);
    },
    passOther: async (moment) => (moment.kind === "notice" ? notifier.tell(moment) : retention.pass()),
    onClockSetBack: async () => retention.open(),
  });
  let ownUrl = "";
  let webhookBase = "";
  const links = approvals.links ? createLinkTokens(parts.masterKey) : null;
  const linkOf = (workspaceId: number, id: string) => links && `${ownUrl}/approvals/${links.make(workspaceId, id)}`;
  const notifier = createNotifier({ services, channels, log, linkOf });
  const answers = createOpenAnswers();
  const keys = createKeyRing({ ...parts, onRevoke: (keyId) => answers.endKey(keyId) });
  const shared = { operations, services, answers, log, version };
  const { rates, retention, deliveries, stop: stopUpkeep } = startUpkeep(parts, keys, services);
  return {
    services,
    keys,
    worker,
    runtimeApp: createRuntimeApp({
      ...shared,
      tools: toolOperations,
      links: links && { tokens: links, userId: parts.userId },
      tracing,
      onActionsChange,
      deliveries,
      admit: createKeyGate(keys, rates.limiter, limits, metrics.countRefusal, version),
      metrics,
      isMetricsPublic: parts.isMetricsPublic ?? false,
      isReady: () => state === "ready",
      checkOrigin: (request) => checkOrigin(request),
    }),
    controlApp: createControlApp({
      ...shared,
      keys,
      deliveries,
      webhookUrl: (id) => `${webhookBase}${webhookPath}${id}`,
      userId: parts.userId,
      stop: parts.onStop,
      status: () => parts.status(worker.activeRuns()),
      isStopping: () => state === "stopping",
    }),
    async open(address) {
      await rates.load();
      ownUrl = addressOf(address);
      webhookBase = address.webhookBase?.replace(/\/$/, "") ?? ownUrl;
      ownPort = address.port;
      for (const problem of await services.values.load()) log.error(problem);
      await worker.recover();
      await openSchedules(services);
      await openPolls(services);
      await retention.open();
      // Requests that expired while nobody was there are expired before anybody can decide them (contract 7).
      await due.start();
      checkOrigin = createOriginCheck(address);
      builder.open();
      state = "ready";
    },
    beginStop() {
      state = "stopping";
      answers.endAll();
    },
    async stop(drainMs) {
      due.stop();
      notifier.stop();
      // Side by side: the time that steps have to drain begins now.
      const polls = services.polls.stop();
      await worker.stop(drainMs);
      await polls;
      stopScripts();
      await builder.stop();
      await egress.close();
      await stopUpkeep();
      metrics.stop();
      await tracing?.stop();
    },
  };
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
