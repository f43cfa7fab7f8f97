import { ApiError } from "../../contract/errors.ts";
import { maxBodyBytes, maxJsonDepth } from "../../contract/limits.ts";
import { isWithinDepth, parseJson, readBytes } from "../http/read-body.ts";
import { type RequestId, type RpcMessage, findId, readMessage } from "./read-message.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

/** The message of a POST, or why it is none and the id to answer with, if it has one. */
export type PostReading =
  | { message: RpcMessage; problem: null; id: null }
  | { message: null; problem: RpcError; id: RequestId | null };

/** Reads a POST's body. Any Accept will do: the answer is JSON, which every client takes. */
export async function readPost(request: Request): Promise<PostReading> {
  let value: unknown;
  try {
    value = await readValue(request);
    requireDepth(value);
    return { message: readMessage(value), problem: null, id: null };
  } catch (error) {
    if (error instanceof RpcError) return { message: null, problem: error, id: findId(value) };
    throw error;
  }
}

async function readValue(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw refused(415, "The Content-Type must be application/json");
  return parse(await readLimited(request));
}

function requireDepth(value: unknown): void {
  if (isWithinDepth(value, maxJsonDepth)) return;
  throw new RpcError(rpcCodes.invalidRequest, `The body is nested more than ${maxJsonDepth} levels deep`, {
    status: 400,
  });
}

async function readLimited(request: Request): Promise<Uint8Array> {
  try {
    return await readBytes(request, maxBodyBytes.mcp);
  } catch (error) {
    throw error instanceof ApiError ? refused(error.status, error.message) : error;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    throw error instanceof ApiError ? new RpcError(rpcCodes.parseError, error.message, { status: 400 }) : error;
  }
}

function refused(status: number, message: string): RpcError {
  return new RpcError(rpcCodes.serverError, message, { status });
}
