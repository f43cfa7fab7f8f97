import type { Json } from "../contract/json.ts";

/** The part of the store's promise that is about credentials and named values; everybody imports it from `store.ts`. */

/** `needs_auth`: nobody has signed in yet, or the service refused the credentials; `detached`: its connector changed. */
export type ConnectionStatus = "active" | "needs_auth" | "detached";

export type ConnectionRecord = {
  id: string;
  workspaceId: number;
  /** Slug of its connector. */
  connector: string;
  name: string;
  settings: { [key: string]: Json };
  /** Its credentials, sealed. */
  secrets: Uint8Array;
  requireApproval: boolean;
  status: ConnectionStatus;
  /** Grows with each change. */
  revision: number;
  createdAt: number;
  updatedAt: number;
  lastUsedAt: number | null;
};

export type NewConnection = Omit<ConnectionRecord, "revision" | "updatedAt" | "lastUsedAt">;

/** What is absent stays. */
export type ConnectionChange = {
  workspaceId: number;
  id: string;
  /** The revision that the change was made to; absent: whatever it is. */
  seen?: number;
  /** The sealed credentials that the change replaces: other changes do not stand in its way. */
  seenSecrets?: Uint8Array;
  name?: string;
  settings?: { [key: string]: Json };
  secrets?: Uint8Array;
  requireApproval?: boolean;
  status?: ConnectionStatus;
  /** There are people to tell when it becomes `needs_auth`. */
  tellsPeople?: boolean;
  at: number;
};

export type ConnectionStore = {
  /** False when the workspace has a connection of this name. */
  createConnection(connection: NewConnection): Promise<boolean>;
  /** By name; of all workspaces for null. */
  listConnections(workspaceId: number | null): Promise<ConnectionRecord[]>;
  /** `changed` elsewhere: the connection is at another revision, or has other credentials, than was seen, and stays. */
  updateConnection(change: ConnectionChange): Promise<"updated" | "missing" | "name_taken" | "changed">;
  /** False when there is none. */
  removeConnection(connection: { workspaceId: number; id: string }): Promise<boolean>;
  /** Notes a use; no change of the connection. */
  touchConnection(use: { id: string; at: number }): Promise<void>;
};

export type NamedValue<Value> = {
  workspaceId: number;
  name: string;
  value: Value;
  createdAt: number;
  updatedAt: number;
};

export type NewValue<Value> = { workspaceId: number; name: string; value: Value; at: number };

type ValueName = { workspaceId: number; name: string };

/** Literal webhook secrets, sealed: of the draft, of the deployed definition, and what a command set over them. */
export type WebhookSecretStage = "draft" | "deployed" | "command";

export type WebhookSecretRecord = {
  workspaceId: number;
  workflowId: string;
  stage: WebhookSecretStage;
  content: Uint8Array;
};

/** Null removes what is there. */
export type WebhookSecretChange = { stage: WebhookSecretStage; content: Uint8Array | null };

export type ValueStore = {
  /** Sets a variable, over an earlier one. */
  setVariable(variable: NewValue<string>): Promise<void>;
  /** By name; of all workspaces for null. */
  listVariables(workspaceId: number | null): Promise<NamedValue<string>[]>;
  /** False when there is none. */
  removeVariable(name: ValueName): Promise<boolean>;
  /** Sets a secret, sealed, over an earlier one. */
  setSecret(secret: NewValue<Uint8Array>): Promise<void>;
  /** By name; of all workspaces for null. */
  listSecrets(workspaceId: number | null): Promise<NamedValue<Uint8Array>[]>;
  /** False when there is none. */
  removeSecret(name: ValueName): Promise<boolean>;
  /** Changes a workflow's webhook secrets; those of a save or a publish are written with it. */
  setWebhookSecrets(input: {
    workspaceId: number;
    workflowId: string;
    changes: readonly WebhookSecretChange[];
    at: number;
  }): Promise<void>;
  /** Of all workspaces for null. */
  listWebhookSecrets(workspaceId: number | null): Promise<WebhookSecretRecord[]>;
};
