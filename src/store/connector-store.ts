import type { BuildIssue } from "../contract/manifest.ts";

/** The part of the store's promise that is about built connectors; everybody imports it from `store.ts`. */

export type ConnectorSummary = {
  slug: string;
  name: string;
  version: string;
  description: string;
  operations: number;
  triggers: number;
  builtAt: number;
};

/** An operation or a trigger; `document` is its JSON as the manifest has it. */
export type ConnectorPart = {
  kind: "action" | "trigger";
  key: string;
  name: string;
  description: string;
  document: string;
};

/** A connector whole; `head` is the JSON of its manifest without operations and triggers, `buildId` what made it. */
export type ConnectorRecord = ConnectorSummary & { head: string; buildId: string; parts: ConnectorPart[] };

export type NewConnector = Pick<ConnectorSummary, "slug" | "name" | "version" | "description"> & {
  head: string;
  parts: readonly ConnectorPart[];
};

export type BuildStatus = "queued" | "running" | "succeeded" | "failed";
export type BuiltOperation = { operation_id: string; kind: "action" | "trigger"; name: string };

export type BuildRecord = {
  id: string;
  workspaceId: number;
  /** Null until the source has been read, where the caller named none. */
  slug: string | null;
  status: BuildStatus;
  issues: BuildIssue[];
  operations: BuiltOperation[];
  createdAt: number;
  completedAt: number | null;
};

/** What is to be built; `request` is the builder's own, as JSON. */
export type BuildSource = { request: string; bytes: Uint8Array };

export type NewBuild = { id: string; workspaceId: number; slug: string | null; source: BuildSource; at: number };

export type BuildEnd = {
  id: string;
  workspaceId: number;
  slug: string | null;
  issues: readonly BuildIssue[];
  /** Replaces the connector of this slug in the same transaction; null for a build that failed. */
  connector: NewConnector | null;
  at: number;
};

export type ConnectorStore = {
  /** By slug. */
  listConnectors(workspaceId: number): Promise<ConnectorSummary[]>;
  findConnector(workspaceId: number, slug: string): Promise<ConnectorRecord | null>;
  /** False when there is none. */
  removeConnector(connector: { workspaceId: number; slug: string }): Promise<boolean>;
  createBuild(build: NewBuild): Promise<void>;
  /** Marks a build as running; how often that happened, 0 when it has ended or is gone. */
  startBuild(build: { id: string }): Promise<number>;
  /** Ends a build once, and forgets its source and all but the workspace's newest ended builds. */
  finishBuild(end: BuildEnd): Promise<boolean>;
  findBuild(workspaceId: number, id: string): Promise<BuildRecord | null>;
  /** Builds that have not ended, of all workspaces, the oldest first. */
  listOpenBuilds(): Promise<Pick<BuildRecord, "id" | "workspaceId" | "slug">[]>;
  readBuildSource(id: string): Promise<BuildSource | null>;
};
