import { join } from "node:path";
import type { Home } from "../contract/home.ts";
import { giveBackMemory } from "./give-back-memory.ts";
import { prepareHome } from "./home.ts";
import { takeInstanceLock } from "./instance-lock.ts";
import type { LogLevel } from "./log.ts";
import { refuseNetworkFolder } from "./network-folder.ts";
import { sqliteBinding } from "./native/entry-points.ts";
import { limitsOf, loadSettings, outsideOf, retentionOf } from "./settings.ts";
import type { RunningDaemon } from "./start.ts";

export type ConfiguredStart = {
  home: Home;
  version: string;
  logFormat: "json" | "pretty";
  logTo?: "stdout" | "stderr" | undefined;
  firesSchedules?: boolean | undefined;
  /** Absent: the log goes to `logTo`, else to stderr. */
  logFile?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Absent: config.yaml in the home's folder for configuration. */
  configFile?: string | undefined;
  /** Settings given on the command line, by name. */
  flags: Readonly<Record<string, unknown>>;
};

/** Starts a daemon as its settings say (contract 17). Throws BAD_REQUEST for a setting that is unknown or not valid. */
export async function startConfigured({
  home,
  version,
  logFormat,
  logTo,
  firesSchedules = true,
  logFile,
  env,
  configFile = join(home.configDir, "config.yaml"),
  flags,
}: ConfiguredStart): Promise<RunningDaemon> {
  const settings = loadSettings({ flags, env, configFile });
  const read = (name: string): unknown => settings.get(name)?.value;
  const isGiven = (name: string) => ["flag", "environment"].includes(settings.get(name)?.origin ?? "");
  process.umask(0o077);
  prepareHome(home);
  refuseNetworkFolder(home.dataDir);
  // Before the rest is even loaded: the second daemon of a home hears no at once.
  const lock = takeInstanceLock(home, sqliteBinding());
  const { startDaemon } = await import("./start.ts");
  const daemon = await startDaemon({
    lock,
    home,
    version,
    logFormat,
    ...(logTo !== undefined && { logTo }),
    firesSchedules,
    ...(logFile !== undefined && { logFile }),
    // Each value passed the schema of its setting.
    host: read("server.host") as string,
    port: read("server.port") as number,
    given: { host: isGiven("server.host"), port: isGiven("server.port") },
    baseUrl: read("server.baseUrl") as string | null,
    webhookBase: read("server.webhookBase") as string | null,
    drainSeconds: read("server.drainSeconds") as number,
    logLevel: read("log.level") as LogLevel,
    limits: limitsOf(settings),
    retention: retentionOf(settings),
    outside: outsideOf(settings),
    approvals: {
      requireKey: read("approvals.requireKey") as boolean,
      protectGates: read("approvals.protectGates") as boolean,
      selfDecision: read("approvals.selfDecision") as boolean,
      links: read("approvals.links") as boolean,
      notify: {
        command: read("approvals.notify.command") as string | null,
        webhook: read("approvals.notify.webhook") as string | null,
        webhookSecret: read("approvals.notify.webhookSecret") as string | null,
        desktop: read("approvals.notify.desktop") as boolean,
      },
    },
    isMetricsPublic: read("metrics.public") as boolean,
    otelEndpoint: read("otel.endpoint") as string | null,
  });
  const stopGiving = giveBackMemory();
  daemon.stopped.finally(stopGiving).catch(() => undefined);
  return daemon;
}
