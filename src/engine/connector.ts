import type { FileReference } from "../contract/file.ts";
import type { Json } from "../contract/json.ts";
import type { Iteration } from "../contract/run.ts";
import type { Effects, StepError, StepOutcome } from "./node.ts";

/** A connection as a call sees it: its true credentials, for as long as the call lasts and no longer (contract 13). */
export type OpenConnection = {
  id: string;
  name: string;
  /** Slug of its connector. */
  connector: string;
  /** What is no secret; `baseUrl` and `allowPrivateNetwork` among it. */
  settings: Readonly<Record<string, Json>>;
  secrets: Readonly<Record<string, string>>;
  /** Every call through it is gated. */
  requireApproval: boolean;
};

/** The connections of all workspaces, as whoever calls through them gets them. */
export type Connections = {
  /** With its newest credentials: replaced ones are used by the next call. Null when there is none with this id. */
  open(workspaceId: number, connectionId: string): Promise<OpenConnection | null>;
  /** What is known of one without its credentials, and without asking anybody; null as for `open`. */
  describe(workspaceId: number, connectionId: string): Omit<OpenConnection, "secrets" | "settings"> | null;
  /**
   * One attempt to get new credentials after a 401 or 403; null when they can't be refreshed. Where `refused`, what the
   * service did not take, was replaced meanwhile, the newer ones are the answer. Of several callers one asks the service.
   */
  refresh(workspaceId: number, connectionId: string, refused?: OpenConnection): Promise<OpenConnection | null>;
  /**
   * What a call through a connection ended with, null for success: credentials that are refused make it `needs_auth`, and
   * ones that are taken make it `active` again. Of credentials that were replaced meanwhile it says nothing. Never rejects.
   */
  tell(
    workspaceId: number,
    connection: Pick<OpenConnection, "id"> & Partial<Pick<OpenConnection, "secrets">>,
    error: StepError | null,
  ): Promise<void>;
  /** Every secret value of the workspace's connections, for redaction. Never awaited: it is asked for on the hot path. */
  secretsOf(workspaceId: number): readonly string[];
};

/** What an operation of a connector is given. */
export type OperationCall = {
  /** Checked against the operation's schema, coerced, with defaults. */
  input: { [key: string]: Json };
  connection: OpenConnection | null;
  /** Refuses addresses that the connection and the settings do not allow (contract 13, egress). */
  fetch: typeof fetch;
  /** The same for answers that become files: they may be as large as a file may be. */
  fetchFile: typeof fetch;
  /** Files that payloads refer to. Both throw CallErrors. */
  files: {
    save(file: { name: string; mime: string; bytes: Uint8Array }): Promise<FileReference>;
    open(fileId: string): Promise<{ reference: FileReference; bytes: Uint8Array<ArrayBuffer> }>;
  };
  /** The same for every attempt of a step (contract 5). */
  idempotencyKey: string;
  /** Runs another action of the workspace; the outcome has the engine wait for it. The same run for every attempt. */
  runAction(request: { slug: string; input: { [key: string]: Json } }): Promise<StepOutcome>;
  workspaceId: number;
  run: { id: string };
  attempt: number;
  signal: AbortSignal;
  now(): Date;
  random(): number;
  log(text: string): void;
};

export type ConnectorOperation = {
  key: string;
  name: string;
  description: string;
  inputSchema: { [key: string]: Json };
  outputSchema: { [key: string]: Json } | null;
  /** The host that is called without a connection: its failures count by themselves. Absent: those of all count together. */
  target?(input: { readonly [key: string]: unknown }): string | null;
  /** What a crash in the middle means; `unsafe` calls are never repeated by themselves. */
  effects(input: { readonly [key: string]: unknown }): Effects;
  /** Answers as a handler does; a failure carries a code of spec 2.8. Throwing means UNKNOWN. */
  run(call: OperationCall): Promise<StepOutcome>;
};

/** One thing that happened at a service; `id` is the service's own, and starts one run however often it is told. */
export type ConnectorEvent = { id: string; output: Json };

export type PollCall = {
  connection: OpenConnection | null;
  params: { [key: string]: Json };
  /** What the last poll returned; null at the first, which tells nothing of the past. */
  cursor: Json;
  fetch: typeof fetch;
  signal: AbortSignal;
  now(): Date;
};

/** A request to a push subscription, as it came. */
export type PushRequest = {
  headers: Headers;
  query: URLSearchParams;
  body: Uint8Array;
  connection: OpenConnection | null;
  params: { [key: string]: Json };
  now(): Date;
};

export type PushAnswer =
  | {
      kind: "events";
      events: readonly ConnectorEvent[];
      response?: { status: number; headers?: Record<string, string>; body?: string };
    }
  /** The request can't be trusted or understood. */
  | { kind: "refused"; status: 400 | 401 | 403; message: string };

/** A kind of event that starts runs. */
export type ConnectorTrigger = {
  event: string;
  name: string;
  description: string;
  paramsSchema: { [key: string]: Json };
  outputSchema: { [key: string]: Json } | null;
  /** Polling is the default where a service offers both: a private machine has no public address. */
  poll?: {
    everySeconds: number;
    run(call: PollCall): Promise<{ events: readonly ConnectorEvent[]; cursor: Json } | { error: StepError }>;
  };
  push?: { decode(request: PushRequest): Promise<PushAnswer> | PushAnswer };
};

export type AuthField = { name: string; label: string; secret: boolean; required: boolean; description?: string };

/** How a connector's connections authenticate (contract 13). */
export type ConnectorAuth = {
  type: "none" | "api_key" | "bearer" | "basic" | "oauth2" | "custom";
  /** What a connection is asked for, besides `baseUrl` and `allowPrivateNetwork`. */
  fields: readonly AuthField[];
  /** Whether operations work without a connection. */
  optional: boolean;
  /** Present with the type oauth2. */
  oauth2?: OAuth2;
};

/**
 * Where tokens come from. A connection has the setting `client_id` and the secrets `client_secret`, `access_token` and
 * `refresh_token`; calls carry the access token.
 */
export type OAuth2 = {
  /** Null where no user has to agree. A path is below the connection's `baseUrl`, as for `tokenUrl`. */
  authorizationUrl: string | null;
  tokenUrl: string;
  grant: "authorization_code" | "client_credentials" | "refresh_token";
  scopes: readonly string[];
  pkce: boolean;
};

/** A service that steps can call and whose events can start runs. */
export type Connector = {
  slug: string;
  name: string;
  description: string;
  version: string;
  auth: ConnectorAuth;
  /** The service's own address; a connection's `baseUrl` wins. */
  baseUrl: string | null;
  operations: readonly ConnectorOperation[];
  triggers: readonly ConnectorTrigger[];
  /** Says whether a connection works, with a call that changes nothing; absent where there is no such call. */
  test?(
    call: Omit<OperationCall, "input" | "idempotencyKey" | "runAction" | "fetchFile" | "files" | "run" | "attempt">,
  ): Promise<StepOutcome>;
};

/** The connectors that a workspace has: the bundled ones and its own. */
export type ConnectorRegistry = {
  find(workspaceId: number, slug: string): Promise<Connector | null>;
  list(workspaceId: number): Promise<readonly Connector[]>;
  /** Workspaces may have more than is known here: a check without their daemon only warns of what it does not know. */
  isPartial?: boolean;
};

/** What a node is given to reach outside. Every call goes through the egress guard and the circuit breaker. */
export type ConnectorCalls = {
  /** Runs one operation: input checked and coerced, one refresh after a 401 or 403, errors mapped (contract 13). */
  run(request: {
    connector: string;
    operation: string;
    connectionId: string | null;
    input: { [key: string]: Json };
    /** Ends the call after so long: its request is aborted, and the answer is a failure with the code TIMEOUT. */
    timeoutMs?: number;
  }): Promise<StepOutcome>;
  /**
   * A connection for callers that speak a protocol of their own, such as model providers. Without an id the one that
   * the daemon's environment gives (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`). A failure is ready to be answered.
   */
  open(
    connector: string,
    connectionId: string | null,
  ): Promise<{ connection: OpenConnection } | { failure: StepOutcome }>;
  /** A guarded fetch under this connection's rights. */
  fetchThrough(connection: OpenConnection | null): typeof fetch;
  /** Asks the circuit breaker of an integration before the call and tells it the outcome after it. */
  throughBreaker(
    integration: { connector: string; connectionId: string | null },
    call: () => Promise<StepOutcome>,
  ): Promise<StepOutcome>;
};

/** The attempt of a step that calls. */
export type CallPlace = {
  workspaceId: number;
  runId: string;
  /** The step's place in a distributed trace, which its requests hand on; null where traces are off. */
  traceparent: string | null;
  stepId: string;
  iteration: Iteration;
  attempt: number;
  /** Its abort closes the sockets of whatever is under way. */
  signal: AbortSignal;
  log(text: string): void;
};

/**
 * What a node's config says it will reach, without running it: publishing checks it, a connection that asks for approval
 * gates the step, and after a crash the operation says whether it may be called again. Pointers are relative to `data`.
 */
export type Reach = {
  connector: string;
  connectorPointer: string;
  connectionId: string | null;
  connectionPointer: string;
  /** Absent for nodes that speak a protocol of their own. */
  operation?: { key: string; pointer: string; input: { readonly [key: string]: unknown }; inputPointer: string };
};

/** Hands out the calls of steps, and answers what has to be known of a call that is not made. */
export type ConnectorCaller = {
  callsOf(place: CallPlace): ConnectorCalls;
  /** What a crash in the middle of the call means; `unsafe` for whatever is not there any more. */
  effectsOf(workspaceId: number, reach: Reach): Promise<Effects>;
  /** Whether a connection wants every call through it approved. */
  needsApproval(workspaceId: number, connectionId: string): Promise<boolean>;
};
