import type { Limits } from "../contract/limits.ts";
import type { RunRecord, Store } from "../store/store.ts";
import type { OutsideSettings } from "../contract/outside.ts";
import type { Breakers } from "./calls/breakers.ts";
import type { ConnectorBuilds } from "./connector-builds.ts";
import type { Connections, ConnectorCaller, ConnectorRegistry, OpenConnection } from "./connector.ts";
import type { Poller } from "./events/poller.ts";
import type { RunPlace } from "./execution/execute-run.ts";
import type { Ending } from "./execution/run-inbox.ts";
import type { Files } from "./files.ts";
import type { NodeType } from "./node.ts";
import type { Cipher } from "./redaction/cipher.ts";
import type { Sealer } from "./redaction/seal.ts";
import type { ScriptRunner } from "./script.ts";
import type { VersionCache } from "./graph/versions.ts";
import type { PendingResponses } from "./webhooks/pending-responses.ts";
import type { WorkspaceValues } from "./workspace-values.ts";
import type { World } from "./world.ts";

/** What every use case is given. The engine receives the catalogue and never imports nodes (design 1). */
export type Services = {
  store: Store;
  world: World;
  limits: Limits;
  catalogue: readonly NodeType[];
  versions: VersionCache;
  scripts: ScriptRunner;
  connectors: ConnectorRegistry;
  /** Makes connectors of manifests and API descriptions. */
  builds: ConnectorBuilds;
  connections: Connections;
  /** The way outside: every call of a step goes through it. */
  calls: ConnectorCaller;
  /** A guarded fetch under a connection's rights, for calls that no step makes. */
  fetchFor(connection: OpenConnection | null): typeof fetch;
  /** Keep calls from services that fail. */
  breakers: Breakers;
  /** Files that payloads refer to. */
  files: Files;
  retries: OutsideSettings["retries"];
  /** Variables, secrets and credentials, and what redaction has to hide. */
  values: WorkspaceValues;
  /** Seals credentials and secrets with the master key. */
  cipher: Cipher;
  /** Keeps the originals of what redaction changes. */
  sealer: Sealer;
  /** Decisions over the local control channel are refused: every decision takes a key (`approvals.requireKey`). */
  needsKeyToDecide: boolean;
  /** A user may approve a run that the same user started (`approvals.selfDecision`). */
  allowsSelfDecision: boolean;
  /** Whoever takes a gate away has to be allowed to decide on it (contract 2). */
  protectsGates: boolean;
  /** Schedules start runs; else each firing passes by (`serve --no-scheduler`). */
  firesSchedules: boolean;
  /** There are ways to tell people of what happens (`approvals.notify`). */
  tellsPeople: boolean;
  /** The place in a distributed trace of the call that is being answered; null outside of one, and without traces. */
  traceparent(): string | null;
  /** Has the loop of moments awake at a moment that was set without a run's change. */
  wakeAt(at: number): void;
  /** Fit for keys and ids that nobody may guess. */
  randomBytes(length: number): Uint8Array;
  /** Asks connectors for their events. */
  polls: Poller;
  /** Callers of webhooks that wait for their runs' answers. */
  responses: PendingResponses;
  /** Tells the worker of a run that became durable as `accepted`. */
  wake(run: RunRecord): void;
  /** Has a run looked at again: a moment came, or somebody decided. */
  resume(run: RunPlace): void;
  /** Ends a run from outside, whoever executes it. False when it was over or the decision came too late. */
  end(run: RunPlace, ending: Ending): Promise<boolean>;
};
