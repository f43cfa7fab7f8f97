import type { Json } from "../../contract/json.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Request, ToolOperation } from "../operation.ts";
import { actionSlug, callAction, listActionTools } from "./action-tools.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";
import { type Tool, type ToolDefinition, createTools } from "./tool.ts";

/** Which tools an address serves: the fixed ones, actions as tools in place of run_action, or all of them. */
export type Surface = "fixed" | "actions" | "all";

export type Toolbox = {
  /** Whether there is a fixed tool of this name, for whomever. */
  has(name: string): boolean;
  /** Names of the fixed tools that a caller with these scopes may use. */
  names(scopes: readonly Scope[], surface: Surface): ReadonlySet<string>;
  /** What the caller may use; the order does not depend on the caller. */
  list(request: Request, surface: Surface): Promise<ToolDefinition[]>;
  /** Throws invalidParams for a tool that is not on the surface, else what the operation throws. */
  call(request: Request, surface: Surface, name: string, args: unknown): Promise<Json>;
};

/** Reads `?tools=` of an address; throws invalidRequest with status 400 for a surface that there is not. */
export function readSurface(url: string): Surface {
  const surface = url.includes("?") ? new URL(url).searchParams.get("tools") || "fixed" : "fixed";
  if (surface === "fixed" || surface === "actions" || surface === "all") return surface;
  throw new RpcError(rpcCodes.invalidRequest, "tools must be actions or all", { status: 400 });
}

/** All tools of a table of operations. Their schemas are made here, once. */
export function createToolbox(operations: readonly ToolOperation[]): Toolbox {
  const tools = new Map(createTools(operations).map((tool) => [tool.definition.name, tool]));
  const runAction = tools.get("run_action");
  const listActions = tools.get("list_actions");

  function isServed(tool: Tool, surface: Surface): boolean {
    return surface !== "actions" || tool !== runAction;
  }

  function visible(scopes: readonly Scope[], surface: Surface): ToolDefinition[] {
    return [...tools.values()]
      .filter((tool) => isServed(tool, surface) && scopes.includes(tool.scope))
      .map(({ definition }) => definition);
  }

  return {
    has: (name) => tools.has(name),
    names: (scopes, surface) => new Set(visible(scopes, surface).map(({ name }) => name)),
    async list(request, surface) {
      const fixed = visible(request.caller.scopes, surface);
      if (surface === "fixed" || !listActions || !runAction) return fixed;
      return [...fixed, ...(await listActionTools(listActions, runAction, request))];
    },
    async call(request, surface, name, args) {
      const tool = tools.get(name);
      if (tool && isServed(tool, surface)) return tool.call(request, args);
      const slug = surface === "fixed" ? null : actionSlug(name);
      if (slug !== null && runAction) return callAction(runAction, request, slug, args);
      throw new RpcError(rpcCodes.invalidParams, `Unknown tool: ${name.slice(0, 100)}`);
    },
  };
}
