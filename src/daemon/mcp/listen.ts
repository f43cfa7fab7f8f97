import { ApiError } from "../../contract/errors.ts";
import type { World } from "../../engine/world.ts";
import type { EventStream, StreamEvent } from "../operation.ts";
import { type Filter, type Subscriptions, honorFilter, readFilter, showFilter } from "./listen-filter.ts";
import type { Call } from "./methods.ts";
import type { RequestId, RpcRequest } from "./read-message.ts";
import { rpcCodes } from "./rpc-error.ts";
import { describeTask } from "./tasks.ts";

type Params = RpcRequest["params"];

const subscriptionKey = "io.modelcontextprotocol/subscriptionId";
/** Between two rounds of notices: a run with many steps is told of some times a second, not with each of its events. */
const quietMs = 200;

/**
 * The stream that answers `subscriptions/listen` (revision 2026-07-28): first what is heard of from now on, then a notice
 * for each change, several of one thing in a row as one. It takes a place among the open streams, ends with an error when
 * the caller's key is revoked, and with a result when the daemon stops. Throws for a filter that it can't read, and when
 * too many streams are open.
 */
export async function listen(call: Call, params: Params, id: RequestId): Promise<EventStream> {
  const filter = readFilter(params, call.era);
  const honored = await honorFilter(call, filter);
  const hold = call.request.hold("stream");
  return { events: tell({ call, params, id, honored }, filter, hold.signal), hold };
}

type Stream = { call: Call; params: Params; id: RequestId; honored: Subscriptions };

async function* tell(stream: Stream, filter: Filter, signal: AbortSignal): AsyncGenerator<StreamEvent, void, void> {
  const { call, id, honored } = stream;
  const { world } = call.request.services;
  const changes = watch(stream);
  try {
    yield notice(id, "notifications/subscriptions/acknowledged", { notifications: showFilter(filter, honored) });
    while (!signal.aborted) {
      const changed = await changes.take(signal);
      for (const change of changed) {
        const told = signal.aborted ? null : await describe(stream, change);
        if (told) yield told;
      }
      if (!signal.aborted) await pause(world, signal);
    }
    yield lastMessage(id, signal);
  } finally {
    changes.stop();
  }
}

type Change = { kind: "tools" } | { kind: "resource"; uri: string } | { kind: "task"; taskId: string };

/** The notice of a change; null for a run that was deleted meanwhile. */
async function describe({ call, params, id }: Stream, change: Change): Promise<StreamEvent | null> {
  if (change.kind === "tools") return notice(id, "notifications/tools/list_changed", {});
  if (change.kind === "resource") return notice(id, "notifications/resources/updated", { uri: change.uri });
  const { caller, services } = call.request;
  if (!(await services.store.findRun(caller.workspaceId, change.taskId))) return null;
  return notice(id, "notifications/tasks", await describeTask(call, params, change.taskId));
}

type Changes = { take(signal: AbortSignal): Promise<Change[]>; stop(): void };

/** Collects what changed since it was last taken, each thing once. */
function watch({ call, honored }: Stream): Changes {
  const { caller, services } = call.request;
  const changed = new Map<string, Change>();
  // The first notice of a task tells how it stands: it may have moved on before the stream was open.
  for (const taskId of honored.taskIds) changed.set(`task ${taskId}`, { kind: "task", taskId });
  let wake: () => void = () => undefined;
  const note = (key: string, change: Change) => {
    changed.set(key, change);
    wake();
  };
  const stops = [
    ...(honored.tools ? [call.onActionsChange(caller.workspaceId, () => note("tools", { kind: "tools" }))] : []),
    ...honored.resources.map(({ uri, runId }) =>
      services.store.watchRuns(runId, () => note(`resource ${uri}`, { kind: "resource", uri })),
    ),
    ...honored.taskIds.map((taskId) => watchTask(call, taskId, () => note(`task ${taskId}`, { kind: "task", taskId }))),
  ];
  return {
    async take(signal) {
      const end = () => wake();
      signal.addEventListener("abort", end);
      while (changed.size === 0 && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
      signal.removeEventListener("abort", end);
      const taken = [...changed.values()];
      changed.clear();
      return taken;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** A task tells of its status alone: what happens between is in the run's journal. */
function watchTask({ request: { services } }: Call, taskId: string, onChange: () => void): () => void {
  let last: string | null = null;
  return services.store.watchRuns(taskId, ({ status }) => {
    if (status !== last) onChange();
    last = status;
  });
}

async function pause(world: World, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = world.after(quietMs, resolve);
  const end = () => resolve();
  signal.addEventListener("abort", end);
  await promise;
  signal.removeEventListener("abort", end);
  stop();
}

/** Why the stream ends: a revoked key is an error, the daemon's own end is none. */
function lastMessage(id: RequestId, signal: AbortSignal): StreamEvent {
  const reason: unknown = signal.reason;
  if (!(reason instanceof ApiError)) {
    return message({ jsonrpc: "2.0", id, result: { resultType: "complete", _meta: { [subscriptionKey]: id } } });
  }
  const error = { code: rpcCodes.serverError, message: reason.message, data: reason.body() };
  return message({ jsonrpc: "2.0", id, error });
}

function notice(id: RequestId, method: string, params: object): StreamEvent {
  return message({ jsonrpc: "2.0", method, params: { ...params, _meta: { [subscriptionKey]: id } } });
}

function message(body: object): StreamEvent {
  return { event: "message", data: JSON.stringify(body) };
}
