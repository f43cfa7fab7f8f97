import type { ApiError } from "../../contract/errors.ts";
import { shownError } from "../http/answer.ts";
import type { Log } from "../log.ts";
import type { EventStream } from "../operation.ts";
import { requireTasks } from "./client-capabilities.ts";
import { type Era, checkModernRequest, eraOf } from "./era.ts";
import { type Call, type Method, methods } from "./methods.ts";
import type { RequestId, RpcRequest } from "./read-message.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

/** A JSON-RPC answer, its HTTP status, and the error of the service that it tells of, if any. */
export type RpcAnswer = { status: number; body: object; cause: ApiError | null; stream?: undefined };

/** A request that is answered with messages as they come about, the last of which ends it. */
export type StreamAnswer = { stream: EventStream };

export type AnswerParts = { serverInfo: object; log: Log };

/**
 * The answer to a request by the rules of its era. `prepare` says what it may be answered with; what it throws and what
 * the method throws is answered, never thrown.
 */
export async function answerRequest(
  message: RpcRequest,
  headers: Headers,
  parts: AnswerParts,
  prepare: (era: Era) => Call,
): Promise<RpcAnswer | StreamAnswer> {
  const era = eraOf(message, headers);
  try {
    const call = prepare(era);
    const method = findMethod(message, headers, era);
    if (method.open) return { stream: await method.open(call, message.params, message.id) };
    const result = await method.answer(call, message.params);
    return answerResult(message.id, finish(result, era, parts.serverInfo, method.ttlMs?.(call.surface)));
  } catch (error) {
    return answerFailure(message, era, error, parts);
  }
}

function findMethod(message: RpcRequest, headers: Headers, era: Era): Method {
  const method = methods.get(message.method);
  if (era === "modern") checkModernRequest(message, headers, method?.named && message.params[method.named]);
  if (method?.needsTasks && era === "modern") requireTasks(era, message.params);
  if (method && (method.era ?? era) === era) return method;
  throw new RpcError(rpcCodes.methodNotFound, `Unknown method: ${message.method.slice(0, 100)}`, {
    status: era === "modern" ? 404 : 200,
  });
}

/** What the modern era has in every result. Each caller sees what its key allows, so no answer is shared. */
function finish(result: object, era: Era, serverInfo: object, ttlMs?: number): object {
  if (era === "handshake") return result;
  return {
    resultType: "complete",
    ...result,
    ...(ttlMs !== undefined && { ttlMs, cacheScope: "private" }),
    _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
  };
}

/** An error of the protocol; else, of a tool, a result that the model can read; else an error of the server. */
function answerFailure(
  { id, method }: RpcRequest,
  era: Era,
  error: unknown,
  { serverInfo, log }: AnswerParts,
): RpcAnswer {
  if (error instanceof RpcError) return answerRpcError(id, error);
  const cause = shownError(error);
  if (cause !== error) log.error(error, "An MCP request failed");
  if (method !== "tools/call") return answerServiceError(id, cause);
  const content = [{ type: "text", text: JSON.stringify(modelBody(cause)) }];
  return { ...answerResult(id, finish({ content, isError: true }, era, serverInfo)), cause };
}

/** The REST body of an error; what REST says in a header alone, a model has to read here. */
function modelBody(error: ApiError): object {
  const { retryAfterSeconds: seconds, details } = error;
  return { ...error.body(), ...(seconds !== undefined && !details && { details: [{ retry_after_seconds: seconds }] }) };
}

function answerResult(id: RequestId, result: object): RpcAnswer {
  return { status: 200, body: { jsonrpc: "2.0", id, result }, cause: null };
}

/** An error of the protocol as an answer; `id` is null where the message could not be read. */
export function answerRpcError(id: RequestId | null, { code, message, data, status }: RpcError): RpcAnswer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { status, body: { jsonrpc: "2.0", id, error }, cause: null };
}

/** An error of the service, where there is no tool result to put it into; its REST body is the data. */
export function answerServiceError(id: RequestId | null, cause: ApiError, status = 200): RpcAnswer {
  const code = cause.code === "INTERNAL_ERROR" ? rpcCodes.internalError : rpcCodes.serverError;
  return { ...answerRpcError(id, new RpcError(code, cause.message, { status, data: cause.body() })), cause };
}
