import type { Home } from "../contract/home.ts";

/** A daemon that runs in this process. */
export type RunningDaemon = {
  url: string;
  port: number;
  /** Drains and ends; `stopped` settles then. */
  stop: () => Promise<void>;
  stopped: Promise<void>;
};

export type DaemonOptions = {
  home: Home;
  version: string;
  logFormat: "json" | "pretty";
  env: NodeJS.ProcessEnv;
  /** Settings given on the command line, by name. */
  flags: Readonly<Record<string, unknown>>;
};

export type Check = { name: string; status: "ok" | "warn" | "fail"; message: string; fix?: string };
export type SelfCheck = { ok: boolean; checks: readonly Check[] };

/** What main.ts hands over: the parts that lie outside this layer, each loaded only when it is called. */
export type Wiring = {
  version: string;
  resolveHome: (env: NodeJS.ProcessEnv) => Promise<Home>;
  startDaemon: (options: DaemonOptions) => Promise<RunningDaemon>;
  selfCheck: () => Promise<SelfCheck>;
};
