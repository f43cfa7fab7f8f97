import type { Hono } from "hono";
import { ApiError } from "../../contract/errors.ts";
import { type AnswerHeaders, answerError, answerJson, retryHeaders } from "../http/answer.ts";
import { eventStreamHeaders, streamBody } from "../http/event-stream.ts";
import type { Admission, HttpEnv, OperationServer } from "../http/serve-operations.ts";
import type { Log } from "../log.ts";
import type { EventStream, ToolOperation } from "../operation.ts";
import { isRecord } from "../../engine/values/json.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { OnActionsChange } from "../watch-actions.ts";
import { type RpcAnswer, answerRequest, answerRpcError, answerServiceError } from "./answer-message.ts";
import type { Era } from "./era.ts";
import { type Call, methods } from "./methods.ts";
import { readPost } from "./read-post.ts";
import type { RpcRequest } from "./read-message.ts";
import { type Toolbox, createToolbox, readSurface } from "./toolbox.ts";

const mcpPath = "/mcp";

export type McpParts = Omit<OperationServer, "maxBodyBytes" | "operations"> & {
  version: string;
  tools: readonly ToolOperation[];
  tracing: Tracing | null;
  onActionsChange: OnActionsChange;
};

/** Who posts: a caller, perhaps over its rate, or a stranger and why it is one. */
type Entry = { admission: Admission; refusal: ApiError | null } | { admission: null; refusal: unknown };

/**
 * Serves the operations that are tools to MCP clients, of both eras of the protocol (mcp.md). Host and Origin have been
 * checked; keys and their rate are those of the REST API, and each POST counts as one request.
 */
export function mountMcp(app: Hono<HttpEnv>, parts: McpParts): void {
  const { services, answers, log } = parts;
  let known: Toolbox | null = null;
  // Made for the first agent that calls: its schemas are a tenth of what a daemon's start costs.
  const openToolbox = () => (known ??= createToolbox(parts.tools));
  const serverInfo = { name: "stepgate", title: "Stepgate", version: parts.version };

  function prepare(raw: Request, { admission, refusal }: Entry, era: Era): Call {
    if (!admission || refusal) throw refusal;
    const { caller } = admission;
    answers.requireKey(caller.keyId);
    return {
      request: { services, caller, hold: (kind) => answers.open(caller.keyId, kind, raw.signal, caller.expiresAt) },
      surface: readSurface(raw.url),
      era,
      toolbox: openToolbox(),
      serverInfo,
      onActionsChange: parts.onActionsChange,
    };
  }

  async function answerPost(raw: Request, entry: Entry, cut: (() => void) | null): Promise<Response> {
    const { admission, refusal } = entry;
    const { message, problem, id } = await readPost(raw);
    const headers = admission?.headers ?? {};
    // The model reads why a stranger's tool call is refused; of anything else its client has to.
    if (message?.kind === "request") {
      traceMessage(parts.tracing, message, openToolbox());
      if (admission || message.method === "tools/call") {
        const prepareCall = (era: Era) => prepare(raw, entry, era);
        const answer = await answerRequest(message, raw.headers, { serverInfo, log }, prepareCall);
        return answer.stream ? sendStream(answer.stream, headers, cut) : send(answer, headers);
      }
    }
    if (!admission) return answerStranger(raw, refusal, log);
    if (message) return new Response(null, { status: 202, headers });
    return send(refusal ? answerServiceError(id, refusal) : answerRpcError(id, problem), headers);
  }

  function sendStream(stream: EventStream, headers: AnswerHeaders, cut: (() => void) | null): Response {
    const { after } = services.world;
    const body = streamBody(stream, { after, onError: (error) => log.error(error, "An MCP stream broke off"), cut });
    return new Response(body, { status: 200, headers: { ...eventStreamHeaders, ...headers } });
  }

  app.all(mcpPath, async ({ req: { raw }, env: { outgoing } }) => {
    const entry = await admit(parts, raw);
    if (raw.method === "POST") return answerPost(raw, entry, outgoing ? () => outgoing.destroy() : null);
    if (!entry.admission) return answerStranger(raw, entry.refusal, log);
    const refused = new ApiError("METHOD_NOT_ALLOWED", `${raw.method} is not allowed here; allowed: POST`);
    return answerError(refused, log, { ...entry.admission.headers, allow: "POST" });
  });
}

/** Names the call's span, and joins the trace that the message tells of where its transport has no headers (SEP-414). */
function traceMessage(tracing: Tracing | null, { method, params }: RpcRequest, toolbox: Toolbox): void {
  if (!tracing || !methods.has(method)) return;
  const meta = isRecord(params["_meta"]) ? params["_meta"]["traceparent"] : null;
  const { name } = params;
  const tool = method === "tools/call" && typeof name === "string" && toolbox.has(name) ? name : null;
  const attributes = { "mcp.method.name": method, ...(tool !== null && { "gen_ai.tool.name": tool }) };
  tracing.describeCall(tool === null ? method : `${method} ${tool}`, attributes, meta);
}

export function isMcp(request: Request): boolean {
  return new URL(request.url).pathname === mcpPath;
}

/** The answer to a request whose Host or Origin is not allowed, before anything else is looked at. */
export function answerForeign(error: unknown, log: Log): Response {
  if (!(error instanceof ApiError)) return answerError(error, log);
  return send(answerServiceError(null, error, error.status), {});
}

async function admit(parts: McpParts, raw: Request): Promise<Entry> {
  try {
    const admission = await parts.admit(raw);
    return { admission, refusal: admission.refusal };
  } catch (error) {
    return { admission: null, refusal: error };
  }
}

/**
 * 401 with the REST body. No metadata of OAuth: clients that find any leave a configured key aside (mcp.md, measured).
 */
function answerStranger(raw: Request, refusal: unknown, log: Log): Response {
  if (!(refusal instanceof ApiError)) return answerError(refusal, log);
  const token = raw.headers.get("authorization") ? ', error="invalid_token"' : "";
  return answerError(refusal, log, { "www-authenticate": `Bearer realm="stepgate"${token}` });
}

function send({ body, status, cause }: RpcAnswer, headers: AnswerHeaders): Response {
  return answerJson(body, status, cause ? retryHeaders(cause, headers) : headers);
}
