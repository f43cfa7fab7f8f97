import type { ActionList } from "../../contract/action.ts";
import type { RunList } from "../../contract/run.ts";
import type { WorkflowList } from "../../contract/workflow-api.ts";
import { isRecord } from "../../engine/values/json.ts";
import type { Call } from "./methods.ts";
import { findPrompt } from "./prompts.ts";
import type { RpcRequest } from "./read-message.ts";
import { findTemplate } from "./resources.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

/** Values in one answer (revision 2026-07-28, completion). */
const maxValues = 100;

/** Values that can be offered, and how many there are besides that nobody looked at. */
type Offer = { all: string[]; unseen: number };

type Source = { tool: string; offer(call: Call): Promise<Offer> };

const nothing: Offer = { all: [], unseen: 0 };

/** Where the values of an argument come from; the caller's scopes and workspace are those of the tool. */
const sources: Readonly<Record<string, Source>> = {
  run_id: {
    tool: "list_runs",
    // The latest runs: nobody completes the id of an old one by hand.
    async offer(call) {
      const { runs, total } = (await read(call, "list_runs", { limit: maxValues })) as RunList;
      return { all: runs.map((run) => run.run_id), unseen: total - runs.length };
    },
  },
  slug: {
    tool: "list_actions",
    async offer(call) {
      const { actions } = (await read(call, "list_actions", {})) as ActionList;
      return { all: actions.map(({ slug }) => slug), unseen: 0 };
    },
  },
  workflow_id: {
    tool: "list_workflows",
    async offer(call) {
      const { workflows, total } = (await read(call, "list_workflows", { limit: maxValues })) as WorkflowList;
      return { all: workflows.map(({ workflow_id: id }) => id), unseen: total - workflows.length };
    },
  },
};

/**
 * The answer to completion/complete: values of a prompt's argument or of a template's part that begin as given. Nothing
 * where the caller may not list them. Throws invalidParams for a prompt, template or argument that there is not.
 */
export async function complete(call: Call, params: RpcRequest["params"]): Promise<object> {
  const { name, value } = readArgument(params["argument"]);
  if (!argumentsOf(call, params["ref"]).includes(name)) {
    throw new RpcError(rpcCodes.invalidParams, `Unknown argument: ${name.slice(0, 100)}`);
  }
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  const { all, unseen } = source && sees(call, source.tool) ? await source.offer(call) : nothing;
  const matching = all.filter((candidate) => candidate.toLowerCase().startsWith(value.toLowerCase()));
  const values = matching.slice(0, maxValues);
  const hasMore = unseen > 0 || matching.length > values.length;
  // How many fit in all is known only when all were looked at.
  return { completion: { values, ...(unseen === 0 && { total: matching.length }), hasMore } };
}

function argumentsOf(call: Call, ref: unknown): readonly string[] {
  const { type, name, uri } = isRecord(ref) ? ref : {};
  const tools = call.toolbox.names(call.request.caller.scopes, call.surface);
  if (type === "ref/prompt" && typeof name === "string") {
    return findPrompt(tools, name).arguments.map((argument) => argument.name);
  }
  if (type === "ref/resource" && typeof uri === "string") return findTemplate(tools, uri);
  throw new RpcError(
    rpcCodes.invalidParams,
    "params.ref must be a ref/prompt with a name or a ref/resource with a uri",
  );
}

function readArgument(argument: unknown): { name: string; value: string } {
  const { name, value } = isRecord(argument) ? argument : {};
  if (typeof name === "string" && typeof value === "string") return { name, value };
  throw new RpcError(rpcCodes.invalidParams, "params.argument must have a name and a value, both texts");
}

function sees({ toolbox, request }: Call, tool: string): boolean {
  return toolbox.names(request.caller.scopes, "fixed").has(tool);
}

async function read({ toolbox, request }: Call, tool: string, args: object): Promise<unknown> {
  return toolbox.call(request, "fixed", tool, args);
}
