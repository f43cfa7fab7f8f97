import * as z from "zod";
import { readSchema } from "../../engine/definition/schema-problems.ts";
import { requireTasks } from "./client-capabilities.ts";
import type { Era } from "./era.ts";
import type { Call } from "./methods.ts";
import type { RpcRequest } from "./read-message.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

/** Resources and tasks that one stream can follow: each is watched for as long as it is open. */
const maxFollowed = 100;

const names = z.array(z.string().max(500));
// Loose: kinds of notices that are not known are left out of the acknowledgement, not refused.
const filterSchema = z.looseObject({
  toolsListChanged: z.boolean().optional(),
  resourceSubscriptions: names.optional(),
  taskIds: names.optional(),
});

/** What a client asks to hear of. */
export type Filter = z.output<typeof filterSchema>;

/** What of it the caller hears of. */
export type Subscriptions = { tools: boolean; resources: { uri: string; runId: string }[]; taskIds: string[] };

/** The filter of `subscriptions/listen`; throws invalidParams for one that can't be read or asks for too much. */
export function readFilter(params: RpcRequest["params"], era: Era): Filter {
  const read = readSchema(filterSchema, params["notifications"]);
  if (!read.ok) {
    const problems = read.problems.map(
      ({ path, message }) => `params.notifications${path.length > 0 ? "." : " "}${message}`,
    );
    throw new RpcError(rpcCodes.invalidParams, problems.join("; "));
  }
  const { resourceSubscriptions = [], taskIds = [] } = read.value;
  if (read.value.taskIds) requireTasks(era, params);
  if (resourceSubscriptions.length + taskIds.length <= maxFollowed) return read.value;
  throw new RpcError(rpcCodes.invalidParams, `One stream follows at most ${maxFollowed} resources and tasks`);
}

/**
 * The tools' list only where it follows publishing, to a caller that sees actions as tools; runs as resources and tasks
 * only those that the caller may read.
 */
export async function honorFilter({ request, surface }: Call, filter: Filter): Promise<Subscriptions> {
  const { services, caller } = request;
  const can = (...needed: (typeof caller.scopes)[number][]) => needed.every((scope) => caller.scopes.includes(scope));
  const follows = filter.toolsListChanged === true && surface !== "fixed" && can("actions:read", "actions:run");
  if (!can("runs:read")) return { tools: follows, resources: [], taskIds: [] };
  const findRun = async (id: string) => (await services.store.findRun(caller.workspaceId, id.toLowerCase()))?.id;
  const resources: Subscriptions["resources"] = [];
  for (const uri of new Set(filter.resourceSubscriptions)) {
    const id = runUri.exec(uri)?.groups?.["id"];
    const runId = id === undefined ? undefined : await findRun(id);
    if (runId !== undefined) resources.push({ uri, runId });
  }
  const taskIds = new Set<string>();
  for (const taskId of new Set(filter.taskIds)) {
    const runId = await findRun(taskId);
    if (runId !== undefined) taskIds.add(runId);
  }
  return { tools: follows, resources, taskIds: [...taskIds] };
}

const runUri = /^run:\/\/(?<id>[^/]+)(?:\/journal)?$/;

/** The acknowledgement's filter: of each kind that was asked for, what is heard of; kinds that are not are left out. */
export function showFilter(filter: Filter, { tools, resources, taskIds }: Subscriptions): object {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(filter.resourceSubscriptions && { resourceSubscriptions: resources.map(({ uri }) => uri) }),
    ...(filter.taskIds && { taskIds }),
  };
}
