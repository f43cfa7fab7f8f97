import { join } from "node:path";
import type { Home } from "../contract/home.ts";
import type { LogLevel } from "./log.ts";
import { limitsOf, loadSettings } from "./settings.ts";
import { type RunningDaemon, startDaemon } from "./start.ts";

export type ConfiguredStart = {
  home: Home;
  version: string;
  logFormat: "json" | "pretty";
  env: Readonly<Record<string, string | undefined>>;
  /** Settings given on the command line, by name. */
  flags: Readonly<Record<string, unknown>>;
};

/** Starts a daemon as its settings say (contract 17). Throws BAD_REQUEST for a setting that is unknown or not valid. */
export async function startConfigured({ home, version, logFormat, env, flags }: ConfiguredStart): Promise<RunningDaemon> {
  const settings = loadSettings({ flags, env, configFile: join(home.configDir, "config.yaml") });
  const read = <Value>(name: string): Value => settings.get(name)?.value as Value;
  return startDaemon({
    home,
    version,
    logFormat,
    host: read("server.host"),
    port: read("server.port"),
    baseUrl: read("server.baseUrl"),
    drainSeconds: read("server.drainSeconds"),
    logLevel: read<LogLevel>("log.level"),
    limits: limitsOf(settings),
  });
}
