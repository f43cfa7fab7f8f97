import type { BuildIssue, BuildRequest } from "../contract/manifest.ts";
import type { Configuration, ConfigurationSources } from "../contract/configuration.ts";
import type { Home } from "../contract/home.ts";
import type { Issue, WorkflowDefinition } from "../contract/workflow.ts";

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
  /** Where the log goes, instead of stderr. */
  logFile?: string;
  env: NodeJS.ProcessEnv;
  /** The user's config.yaml. */
  configFile?: string;
  /** Settings given on the command line, by name. */
  flags: Readonly<Record<string, unknown>>;
};

export type Check = { name: string; status: "ok" | "warn" | "fail"; message: string; fix?: string };
export type SelfCheck = { ok: boolean; checks: readonly Check[] };

/** Changes to the user's config.yaml. Each throws BAD_REQUEST for what is unknown or not valid, and changes nothing then. */
export type ConfigurationFile = {
  /** Sets one setting, with null takes it out. */
  change: (file: string, name: string, text: string | null) => { name: string; value: unknown; isChanged: boolean };
  check: (file: string, text: string) => void;
  /** Words that there is no such setting, and which one may be meant. */
  explainUnknown: (name: string) => string;
  write: (file: string, text: string) => void;
};

/** What a workflow file says; `locate` gives the line and column of a JSON pointer into the definition. */
export type ReadWorkflow = {
  definition: WorkflowDefinition | null;
  id: string | null;
  issues: Issue[];
  locate: (pointer: string) => { line: number; column: number } | null;
};

/** What main.ts hands over: the parts that lie outside this layer, each loaded only when it is called. */
export type Wiring = {
  version: string;
  resolveHome: (env: NodeJS.ProcessEnv) => Promise<Home>;
  startDaemon: (options: DaemonOptions) => Promise<RunningDaemon>;
  selfCheck: () => Promise<SelfCheck>;
  /** What the files of a home tell without its daemon. */
  checkHome: (home: Home) => Promise<Check[]>;
  /** Throws BAD_REQUEST where a file or a variable is not valid. */
  readConfiguration: (sources: ConfigurationSources) => Promise<Configuration>;
  configurationFile: () => Promise<ConfigurationFile>;
  /** The JSON Schema of workflow files, for editors. */
  workflowSchema: () => Promise<string>;
  readWorkflow: (file: string, text: string) => Promise<ReadWorkflow>;
  /** What building a connector of a source would say; every problem at once. */
  checkConnector: (request: BuildRequest, bytes: Uint8Array) => Promise<BuildIssue[]>;
};
