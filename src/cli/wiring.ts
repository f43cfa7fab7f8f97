import type { Backup, Migrated, Restored, Vacuumed } from "../contract/database.ts";
import type { BuildIssue, BuildRequest } from "../contract/manifest.ts";
import type { Configuration, ConfigurationSources } from "../contract/configuration.ts";
import type { PublishResult } from "../contract/control.ts";
import type { Home } from "../contract/home.ts";
import type { Issue, WorkflowDefinition } from "../contract/workflow.ts";
import type { TestFileResult, TestSource } from "../contract/workflow-test.ts";

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
  /** Whether schedules start runs; yes if absent. */
  firesSchedules?: boolean;
  /** The stream that the log goes to; stderr if absent. */
  logTo?: "stdout" | "stderr";
  /** Where the log goes instead. */
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

/** `slug` names the action of a single file that names none. */
export type CheckRequest = { files: readonly { file: string; text: string }[]; slug: string | undefined };

/** Care of the database's file beside or without its daemon. Each throws an ApiError that says what is in the way. */
export type DatabaseCare = {
  backup: (home: Home, file?: string, keyFile?: string) => Promise<Backup>;
  checkBackup: (home: Home, file: string) => Promise<number>;
  restore: (home: Home, file: string) => Promise<Restored>;
  migrate: (home: Home, isDry: boolean) => Promise<Migrated>;
  vacuum: (home: Home) => Promise<Vacuumed>;
};

/** What main.ts hands over: the parts that lie outside this layer, each loaded only when it is called. */
export type Wiring = {
  version: string;
  resolveHome: (env: NodeJS.ProcessEnv) => Promise<Home>;
  startDaemon: (options: DaemonOptions) => Promise<RunningDaemon>;
  databaseCare: () => Promise<DatabaseCare>;
  selfCheck: () => Promise<SelfCheck>;
  /** What the files of a home tell without its daemon. */
  checkHome: (home: Home) => Promise<Check[]>;
  /** Throws BAD_REQUEST where a file or a variable is not valid. */
  readConfiguration: (sources: ConfigurationSources) => Promise<Configuration>;
  configurationFile: () => Promise<ConfigurationFile>;
  /** The JSON Schema of workflow files, for editors. */
  workflowSchema: () => Promise<string>;
  readWorkflow: (file: string, text: string) => Promise<ReadWorkflow>;
  /** Checks workflow files as publishing does, without a daemon. */
  checkFiles: (request: CheckRequest) => Promise<PublishResult>;
  /** Runs files of tests without a daemon and tells of each when it is done; ends between two cases when it is aborted. */
  runTests: (
    sources: readonly TestSource[],
    onFile: (result: TestFileResult) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** What building a connector of a source would say; every problem at once. */
  checkConnector: (request: BuildRequest, bytes: Uint8Array) => Promise<BuildIssue[]>;
};
