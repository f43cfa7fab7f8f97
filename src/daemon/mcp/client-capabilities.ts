import { isRecord } from "../../engine/values/json.ts";
import { type Era, readCapabilities } from "./era.ts";
import type { RpcRequest } from "./read-message.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Whether the client that sent these parameters says that it takes tasks; only the modern era has a place for it. */
export function takesTasks(era: Era, params: RpcRequest["params"]): boolean {
  const extensions = era === "modern" ? own(readCapabilities(params), "extensions") : undefined;
  return isRecord(own(extensions, tasksExtension));
}

/** Whether the client can put a form before its user: an empty declaration counts as one for forms. */
export function showsForms(params: RpcRequest["params"]): boolean {
  const elicitation = own(readCapabilities(params), "elicitation");
  if (!isRecord(elicitation)) return false;
  return Object.keys(elicitation).length === 0 || isRecord(own(elicitation, "form"));
}

/** Throws missingCapability with status 400 for a client that doesn't say that it takes tasks. */
export function requireTasks(era: Era, params: RpcRequest["params"]): void {
  if (takesTasks(era, params)) return;
  throw new RpcError(rpcCodes.missingCapability, `The client has to declare the extension ${tasksExtension}`, {
    status: 400,
    data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
  });
}

function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
