import type { Json } from "../../contract/json.ts";
import type {
  CallPlace,
  Connections,
  Connector,
  ConnectorCaller,
  ConnectorCalls,
  ConnectorOperation,
  ConnectorRegistry,
  OpenConnection,
  OperationCall,
} from "../connector.ts";
import type { Files } from "../files.ts";
import { didYouMean } from "../definition/nearest-name.ts";
import { type StepOutcome, fail } from "../node.ts";
import type { World } from "../world.ts";
import { type Breakers, type Integration, verdictOf } from "./breakers.ts";
import { failureOfThrown } from "./call-error.ts";
import { environmentConnection } from "./environment-connection.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { checkInput } from "./operation-input.ts";

export type CallerParts = {
  connectors: ConnectorRegistry;
  connections: Connections;
  breakers: Breakers;
  world: Pick<World, "now" | "random" | "after">;
  /** The guarded way outside under a connection's rights. */
  fetchFor(connection: OpenConnection | null, maxBytes?: number): typeof fetch;
  files: Pick<Files, "save" | "open" | "maxBytes">;
  /** Starts a run of another action for a step. */
  startChildRun(
    place: Pick<CallPlace, "workspaceId" | "runId" | "stepId" | "iteration">,
    request: Parameters<OperationCall["runAction"]>[0],
  ): Promise<StepOutcome>;
  /** The daemon's environment. */
  environment: Readonly<Record<string, string | undefined>>;
};

type CallRequest = Parameters<ConnectorCalls["run"]>[0];
type Found = { connector: Connector; operation: ConnectorOperation };

/** Hands out the calls of steps (contract 5, 13). */
export function createConnectorCaller(parts: CallerParts): ConnectorCaller {
  const { connectors, connections } = parts;
  return {
    callsOf: (place) => new StepCalls(parts, place),
    async effectsOf(workspaceId, { connector, operation }) {
      if (!operation) return "unsafe";
      const found = await findOperation(connectors, workspaceId, connector, operation.key);
      return "failure" in found ? "unsafe" : found.operation.effects(operation.input);
    },
    async needsApproval(workspaceId, connectionId) {
      return connections.describe(workspaceId, connectionId)?.requireApproval ?? false;
    },
  };
}

/** The calls of one attempt of one step. */
class StepCalls implements ConnectorCalls {
  readonly #parts: CallerParts;
  readonly #place: CallPlace;

  constructor(parts: CallerParts, place: CallPlace) {
    this.#parts = parts;
    this.#place = place;
  }

  async run({ timeoutMs, ...request }: CallRequest): Promise<StepOutcome> {
    if (timeoutMs === undefined) return this.#run(request);
    const limit = new AbortController();
    const { promise: overrun, resolve } = Promise.withResolvers<StepOutcome>();
    const cancel = this.#parts.world.after(timeoutMs, () => {
      const message = `${request.connector}.${request.operation} did not answer within ${timeoutMs / 1000} s`;
      resolve(fail("TIMEOUT", message, { retryable: true }));
      limit.abort(new DOMException(message, "TimeoutError"));
    });
    const signal = AbortSignal.any([this.#place.signal, limit.signal]);
    const calls = new StepCalls(this.#parts, { ...this.#place, signal });
    try {
      return await Promise.race([calls.run(request), overrun]);
    } finally {
      cancel();
    }
  }

  async #run({ connector: slug, operation: key, connectionId, input }: CallRequest): Promise<StepOutcome> {
    const { workspaceId } = this.#place;
    const found = await findOperation(this.#parts.connectors, workspaceId, slug, key);
    if ("failure" in found) return found.failure;
    const opened = await this.#openFor(found.connector, connectionId);
    if ("failure" in opened) return opened.failure;
    const checked = checkInput(found.operation, input);
    if (!checked.ok) return invalidInput(slug, key, checked.problems);
    const { connection } = opened;
    const target = connection ? null : (found.operation.target?.(checked.input) ?? null);
    return this.#guarded({ workspaceId, connector: slug, connectionId: connection?.id ?? null, target }, async () =>
      this.#callWithRefresh(found.operation, checked.input, connection),
    );
  }

  async open(slug: string, connectionId: string | null): ReturnType<ConnectorCalls["open"]> {
    if (connectionId !== null) return this.#openStored(slug, connectionId);
    const connection = environmentConnection(slug, this.#parts.environment);
    if (connection) return { connection };
    const message = `${slug} needs a connection; add one with \`stepgate connections add ${slug}\` and name its id as connectionId`;
    return { failure: fail("VALIDATION_ERROR", message) };
  }

  fetchThrough(connection: OpenConnection | null, maxBytes?: number): typeof fetch {
    const guarded = this.#parts.fetchFor(connection, maxBytes);
    const { signal, traceparent } = this.#place;
    // Whatever the caller forgets: the end of the step closes the socket.
    return async (input, init) => {
      const signals = init?.signal ? [signal, init.signal] : [signal];
      const traced = traceparent === null ? init : { ...init, headers: inTrace(traceparent, input, init) };
      return guarded(input, { ...traced, signal: AbortSignal.any(signals) });
    };
  }

  async throughBreaker(
    integration: { connector: string; connectionId: string | null },
    call: () => Promise<StepOutcome>,
  ): Promise<StepOutcome> {
    const { workspaceId } = this.#place;
    const outcome = await this.#guarded({ ...integration, workspaceId, target: null }, call);
    const { connectionId: id } = integration;
    if (id !== null && outcome.kind === "fail") {
      await this.#parts.connections.tell(workspaceId, { id }, outcome.error);
    }
    return outcome;
  }

  async #guarded(integration: Integration, call: () => Promise<StepOutcome>): Promise<StepOutcome> {
    const { signal } = this.#place;
    const permit = await this.#parts.breakers.ask(integration);
    if ("retryAfterMs" in permit) return circuitOpen(integration, permit.retryAfterMs);
    // A call that is cut off may never answer; its time-out counts, its cancellation says nothing of the service.
    const onAbort = (): void =>
      void permit.tell(isTimeout(signal.reason) ? "failed" : "unknown").catch(() => undefined);
    if (signal.aborted) {
      onAbort();
      throw signal.reason;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const outcome = await call().catch(failureOfThrown);
      // A breaker that can't be written down is no reason to lose what the call brought.
      await permit.tell(verdictOf(outcome)).catch(() => undefined);
      return outcome;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #callWithRefresh(
    operation: ConnectorOperation,
    input: { [key: string]: Json },
    connection: OpenConnection | null,
  ): Promise<StepOutcome> {
    const outcome = await this.#call(operation, input, connection);
    if (!connection) return outcome;
    const { connections } = this.#parts;
    const { workspaceId } = this.#place;
    const isRefused = outcome.kind === "fail" && outcome.error.code === "AUTH_EXPIRED";
    // A refresh that breaks says less than the refusal that led to it.
    const refreshed = isRefused
      ? await connections.refresh(workspaceId, connection.id, connection).catch(() => null)
      : null;
    const last = refreshed ? await this.#call(operation, input, refreshed) : outcome;
    await connections.tell(workspaceId, refreshed ?? connection, last.kind === "fail" ? last.error : null);
    return last;
  }

  async #call(
    operation: ConnectorOperation,
    input: { [key: string]: Json },
    connection: OpenConnection | null,
  ): Promise<StepOutcome> {
    const { world, files } = this.#parts;
    const { workspaceId, runId, attempt, signal, log } = this.#place;
    const call: OperationCall = {
      input,
      connection,
      fetch: this.fetchThrough(connection),
      fetchFile: this.fetchThrough(connection, files.maxBytes),
      files: {
        save: async (file) => files.save(this.#place, file),
        open: async (id) => files.open(this.#place, id),
      },
      idempotencyKey: idempotencyKey(this.#place),
      runAction: async (request) => this.#parts.startChildRun(this.#place, request),
      workspaceId,
      run: { id: runId },
      attempt,
      signal,
      now: () => world.now(),
      random: () => world.random(),
      log,
    };
    return operation.run(call).catch(failureOfThrown);
  }

  /** Operations that work without a connection get none unless the environment has one. */
  async #openFor(
    connector: Connector,
    connectionId: string | null,
  ): Promise<{ connection: OpenConnection | null } | { failure: StepOutcome }> {
    if (connectionId !== null) return this.#openStored(connector.slug, connectionId);
    const isOptional = connector.auth.optional || connector.auth.type === "none";
    const connection = environmentConnection(connector.slug, this.#parts.environment);
    return isOptional || connection ? { connection } : this.open(connector.slug, null);
  }

  async #openStored(slug: string, id: string): ReturnType<ConnectorCalls["open"]> {
    const connection = await this.#parts.connections.open(this.#place.workspaceId, id).catch(unopened);
    if (connection && "failure" in connection) return connection;
    if (!connection) {
      const message = `There is no connection ${id} in this workspace; \`stepgate connections list\` shows those there are`;
      return { failure: fail("VALIDATION_ERROR", message) };
    }
    if (connection.connector === slug) return { connection };
    const message = `The connection ${connection.name} is one of ${connection.connector}, not of ${slug}`;
    return { failure: fail("VALIDATION_ERROR", message) };
  }
}

/** The headers of a request with the step's place in its trace, unless the request has one already. */
function inTrace(traceparent: string, input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Headers {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  if (!headers.has("traceparent")) headers.set("traceparent", traceparent);
  return headers;
}

/** Credentials that can't be opened, such as after a loss of the master key, fail the step and say so. */
function unopened(thrown: unknown): { failure: StepOutcome } {
  return { failure: fail("VALIDATION_ERROR", thrown instanceof Error ? thrown.message : String(thrown)) };
}

/**
 * What a call is refused for before anything is sent: an operation that its connector does not have, or input that does not
 * fit. Null when it would be made, and for connectors that are not known here.
 */
export async function refuseCall(
  connectors: ConnectorRegistry,
  workspaceId: number,
  { connector: slug, operation: key, input }: Pick<CallRequest, "connector" | "operation" | "input">,
): Promise<StepOutcome | null> {
  if (connectors.isPartial === true && !(await connectors.find(workspaceId, slug))) return null;
  const found = await findOperation(connectors, workspaceId, slug, key);
  if ("failure" in found) return found.failure;
  const checked = checkInput(found.operation, input);
  return checked.ok ? null : invalidInput(slug, key, checked.problems);
}

/** An operation by its name, or a failure that tells the nearest one. */
async function findOperation(
  connectors: ConnectorRegistry,
  workspaceId: number,
  slug: string,
  key: string,
): Promise<Found | { failure: StepOutcome }> {
  const connector = await connectors.find(workspaceId, slug);
  if (!connector) {
    const slugs = (await connectors.list(workspaceId)).map((each) => each.slug);
    return { failure: fail("VALIDATION_ERROR", `There is no connector ${slug}${didYouMean(slug, slugs)}`) };
  }
  const operation = connector.operations.find((each) => each.key === key);
  if (operation) return { connector, operation };
  const keys = connector.operations.map((each) => each.key);
  return { failure: fail("VALIDATION_ERROR", `${slug} has no operation ${key}${didYouMean(key, keys)}`) };
}

function invalidInput(slug: string, key: string, problems: readonly { field: string; message: string }[]): StepOutcome {
  const what = problems.map(({ field, message }) => `${field || "input"} ${message}`).join("; ");
  const fields = problems.map(({ field, message }) => ({ field, message }));
  return fail("VALIDATION_ERROR", `The input of ${slug}.${key} is not valid: ${what}`, { details: { fields } });
}

function circuitOpen({ connector, connectionId, target }: Integration, retryAfterMs: number): StepOutcome {
  const whose = connectionId ?? target;
  const name = whose === null ? connector : `${connector} (${whose})`;
  const message = `Calls of ${name} failed too often and are not made for now; \`stepgate breakers list\` shows until when`;
  return fail("UPSTREAM_ERROR", message, { retryable: true, retryAfterMs, details: { circuit: "open" } });
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}
