import { isRecord } from "../../engine/values/json.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

export type RequestId = string | number;

export type RpcRequest = {
  kind: "request";
  id: RequestId;
  method: string;
  params: Readonly<Record<string, unknown>>;
};

/** What a client posts. Neither a notification nor a response gets an answer. */
export type RpcMessage = RpcRequest | { kind: "notification" } | { kind: "response" };

/** Reads a parsed body as one JSON-RPC message; throws invalidRequest with status 400 for anything else. */
export function readMessage(value: unknown): RpcMessage {
  if (Array.isArray(value)) throw invalid("A body holds one message: batches are not supported");
  if (!isRecord(value)) throw invalid("The body must be a JSON-RPC message");
  const { jsonrpc, id, method, params = {} } = value;
  if (jsonrpc !== "2.0") throw invalid('jsonrpc must be "2.0"');
  if (isResponse(value)) return { kind: "response" };
  if (typeof method !== "string") throw invalid("method must be a text");
  if (!isRecord(params)) throw invalid("params must be an object");
  if (id === undefined) return { kind: "notification" };
  if (!isRequestId(id)) throw invalid("id must be a text or a number");
  return { kind: "request", id, method, params };
}

function isResponse(value: Record<string, unknown>): boolean {
  return !("method" in value) && "id" in value && ("result" in value || "error" in value);
}

function isRequestId(id: unknown): id is RequestId {
  // JSON may spell a number that is none here, such as 1e999; it could not be sent back.
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
}

/** The id to answer a message with that could not be read as a whole; null when it has none. */
export function findId(value: unknown): RequestId | null {
  return isRecord(value) && isRequestId(value["id"]) ? value["id"] : null;
}

function invalid(message: string): RpcError {
  return new RpcError(rpcCodes.invalidRequest, message, { status: 400 });
}
