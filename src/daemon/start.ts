import { randomBytes, randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { pino } from "pino";
import type { DaemonStatus } from "../contract/control.ts";
import type { Home } from "../contract/home.ts";
import { type Limits, defaultLimits } from "../contract/limits.ts";
import type { OutsideSettings } from "../contract/outside.ts";
import type { Retention } from "../contract/retention.ts";
import type { World } from "../engine/world.ts";
import { nodes } from "../nodes/index.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import type { Store } from "../store/store.ts";
import { openFileFolder } from "./files/file-folder.ts";
import { prepareHome } from "./home.ts";
import { serveSocket, serveTcp } from "./http/server.ts";
import { type InstanceLock, takeInstanceLock } from "./instance-lock.ts";
import { type Log, type LogLevel, createLog } from "./log.ts";
import { openLogFile } from "./log-file.ts";
import { lacksMasterKey, loadMasterKey } from "./master-key.ts";
import { sqliteBinding, workerEntry } from "./native/entry-points.ts";
import { createRuntime, type ApprovalSettings } from "./runtime.ts";
import { createSystemWorld } from "./system-world.ts";
import { startTracing } from "./tracing/start-tracing.ts";

const newKeyWarning =
  "A new master key is made for a database that was there before: what another key sealed stays closed. " +
  "Put the earlier key back (its file, or STEPGATE_MASTER_KEY) and restart";

/** How long a daemon without a database takes for its end. */
const brokenStopMs = 3_000;

export type StartOptions = {
  home: Home;
  host: string;
  port: number;
  /** Which parts of the address a flag or the environment gave; a file's are read anew at every start. */
  given?: { host: boolean; port: boolean };
  version: string;
  limits?: Limits;
  /** Address under which callers reach the daemon from elsewhere. */
  baseUrl?: string | null;
  /** Address under which senders reach webhooks. */
  webhookBase?: string | null;
  drainSeconds?: number;
  retention?: Retention;
  outside?: OutsideSettings;
  approvals?: ApprovalSettings;
  isMetricsPublic?: boolean;
  /** Whether schedules start runs; default yes. */
  firesSchedules?: boolean;
  /** Where traces are sent to; null: nowhere. */
  otelEndpoint?: string | null;
  logFormat?: "json" | "pretty";
  /** The stream that the log goes to; stderr if absent. */
  logTo?: "stdout" | "stderr";
  /** Where the log goes instead; begins anew at 10 MB. */
  logFile?: string;
  logLevel?: LogLevel;
  world?: World;
  /** The lock of the home where the caller has it; the daemon gives it up. */
  lock?: InstanceLock;
  openStore?(file: string, onBroken: (error: Error) => void): Promise<Store>;
};

export type RunningDaemon = {
  url: string;
  port: number;
  /** Drains and ends; settles with `stopped`. */
  stop(): Promise<void>;
  /** Rejects when it had to end by itself, since its database takes no more writes. */
  stopped: Promise<void>;
};

/**
 * Starts a daemon on a home: alone on it, its store migrated and its runs recovered before anybody is let in. Throws
 * CONFLICT when another daemon has the home or the port is taken; what was started by then is ended again.
 */
export async function startDaemon(options: StartOptions): Promise<RunningDaemon> {
  process.umask(0o077);
  const { logFormat: format = "json", logLevel: level = "info" } = options;
  const log = createLog({ format, level, write: logWriter(options) });
  await using started = new AsyncDisposableStack();
  const daemon = await assemble(options, log, started);
  const parts = started.move();
  const stopped = daemon.stopAsked.then(async (problem) => {
    log.info("Stepgate is stopping");
    daemon.beginStop();
    if (problem) {
      // Whatever waits for a write waits in vain: it is ended for what it is worth.
      await Promise.race([parts.disposeAsync().catch(() => undefined), sleep(brokenStopMs, undefined, { ref: false })]);
      throw problem;
    }
    await parts.disposeAsync();
    log.info("Stepgate has stopped");
  });
  // Whoever holds the daemon may look at it later, or never.
  stopped.catch(() => undefined);
  return {
    url: daemon.url,
    port: daemon.port,
    stopped,
    async stop() {
      daemon.askToStop(null);
      await stopped;
    },
  };
}

/** Puts each part on the stack that ends them in reverse; the control channel answers until the store is closed. */
async function assemble(options: StartOptions, log: Log, started: AsyncDisposableStack) {
  const { home, host, version, world = createSystemWorld(), limits = defaultLimits, drainSeconds = 35 } = options;
  prepareHome(home);
  const lock = options.lock ?? takeInstanceLock(home, sqliteBinding());
  started.defer(() => lock.release());
  started.defer(() => rmSync(home.daemonFile, { force: true }));
  let closeControl = async () => {};
  started.defer(() => closeControl());
  const masterKey = readMasterKey(home, log);
  const { promise: stopAsked, resolve: askToStop } = Promise.withResolvers<Error | null>();
  const { store, isBroken } = await openStoreOf(options, log, askToStop);
  started.defer(() => store.close());

  const identity = { pid: process.pid, version, instance_id: randomUUID() };
  const given: DaemonStatus["given"] = { host: null, port: null };
  const place = {
    url: "",
    given,
    db: home.database,
    db_schema: store.schemaVersion(),
    started_at: world.now().toISOString(),
  };
  const status = (activeRuns: number): DaemonStatus => ({
    running: true,
    ...identity,
    ...place,
    active_runs: activeRuns,
  });
  const tracing = options.otelEndpoint ? await startTracing(options.otelEndpoint, version, log, world) : null;
  const parts = { store, world, limits, catalogue: nodes, log, version, randomBytes, masterKey, status };
  const runtime = createRuntime({
    ...parts,
    userId: localUser(),
    content: openFileFolder(join(home.dataDir, "files")),
    onStop: () => askToStop(null),
    isMetricsPublic: options.isMetricsPublic ?? false,
    firesSchedules: options.firesSchedules ?? true,
    environment: process.env,
    ...(options.outside && { outside: options.outside }),
    ...(tracing && { tracing }),
    ...(options.retention && { retention: options.retention }),
    ...(options.approvals && { approvals: options.approvals }),
  });
  started.defer(() => runtime.stop(isBroken() ? 0 : drainSeconds * 1000));
  const http = await serveTcp(runtime.runtimeApp, { host, port: options.port }, log);
  started.defer(() => http.close());
  await runtime.open(addressOf(options, http.port));
  place.url = `http://${shownHost(host)}:${http.port}`;
  Object.assign(given, givenAddress(options, http.port));
  ({ close: closeControl } = await serveSocket(runtime.controlApp, home.socket, log));
  writeFileSync(home.daemonFile, `${JSON.stringify({ ...identity, url: place.url, socket: home.socket })}\n`);
  log.info({ url: place.url, data: home.dataDir }, "Stepgate is ready");
  return { url: place.url, port: http.port, stopAsked, askToStop, beginStop: () => runtime.beginStop() };
}

function addressOf({ host, baseUrl = null, webhookBase = null }: StartOptions, port: number) {
  return { host, port, baseUrl, webhookBase };
}

/** What a restart is to keep. Any free port is one that was given, too: agents have it in their configuration. */
function givenAddress({ given, host, port }: StartOptions, boundPort: number): DaemonStatus["given"] {
  return { host: given?.host ? host : null, port: given?.port || port === 0 ? boundPort : null };
}

function readMasterKey(home: Home, log: Log): Uint8Array {
  if (lacksMasterKey(home, process.env)) log.warn({ file: home.masterKey }, newKeyWarning);
  return loadMasterKey(home.masterKey, process.env, randomBytes);
}

/** A store that breaks down under the daemon ends it: limping on, it could keep nothing of what it takes in. */
async function openStoreOf({ home, openStore = openOnThread }: StartOptions, log: Log, end: (problem: Error) => void) {
  let isBroken = false;
  const store = await openStore(home.database, (err) => {
    isBroken = true;
    log.error({ err }, "The database takes no more writes; this daemon ends, and the next start takes its runs up");
    end(new Error(`The daemon ended: ${err.message}`));
  });
  return { store, isBroken: () => isBroken };
}

async function openOnThread(file: string, onBroken: (error: Error) => void): Promise<Store> {
  const { filename, options } = workerEntry("writer-thread");
  return openSqliteStore({
    file,
    writer: "thread",
    onBroken,
    ...sqliteBinding(),
    newWorker: (workerData) => new Worker(filename, { ...options, workerData }),
  });
}

function logWriter({ home, logFile, logTo = "stderr" }: StartOptions): (line: string) => void {
  if (logFile === undefined) return writeToStream(logTo);
  prepareHome(home);
  return openLogFile(logFile);
}

/** Writes at once; a reader that has gone is no reason to end. */
function writeToStream(name: "stdout" | "stderr"): (line: string) => void {
  const stream = pino.destination({ dest: name === "stdout" ? 1 : 2, sync: true });
  stream.on("error", () => undefined);
  return (line) => stream.write(line);
}

/** In whose name local calls are made; a container's user may have no name. */
function localUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 0}`;
  }
}

/** What a caller on this machine types: a wildcard is no address. */
function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
