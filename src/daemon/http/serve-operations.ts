import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import { ApiError } from "../../contract/errors.ts";
import type { Services } from "../../engine/services.ts";
import type { Log } from "../log.ts";
import type { Caller, FieldReader, HoldAnswer, Operation, Request as OperationRequest } from "../operation.ts";
import { type AnswerHeaders, answerError, answerJson, answerNotAllowed } from "./answer.ts";
import { collectFields } from "./collect-fields.ts";
import { eventStreamHeaders, streamBody } from "./event-stream.ts";
import type { OpenAnswers } from "./open-answers.ts";
import { readJsonBody } from "./read-body.ts";

/** Where the operations are served. */
export const runtimeBase = "/api/v1/runtime";

/** The adapter's bindings are absent where the app is called without a server. */
export type HttpEnv = { Bindings: Partial<HttpBindings> };

/** Who asks, what every answer to it carries, and why it is not let on, if so. */
export type Admission = { caller: Caller; headers: AnswerHeaders; refusal: ApiError | null };

export type OperationServer = {
  operations: readonly Operation[];
  services: Services;
  answers: OpenAnswers;
  log: Log;
  maxBodyBytes: number;
  /** Throws for a caller that is nobody. */
  admit(request: Request): Promise<Admission>;
};

type HttpContext = Context<HttpEnv>;

/** Serves a table of operations under the runtime API's base, and 404 and 405 for the rest of it. */
export function serveOperations(app: Hono<HttpEnv>, server: OperationServer): void {
  for (const operation of server.operations) {
    const [method, path] = operation.route;
    app.on(method, runtimeBase + path, (context) =>
      serve(server, context, (request) => answerOperation(operation, context, request, server)),
    );
  }
  app.notFound((context) => {
    const { path } = context.req;
    if (path !== runtimeBase && !path.startsWith(`${runtimeBase}/`)) return answerError(notFound(path), server.log);
    return serve(server, context, ({ headers }) => refuseRoute(server, context, headers));
  });
}

/** Order of checks (contract 6): who asks, their rate limit, then all that the operation checks. */
async function serve(
  server: OperationServer,
  context: HttpContext,
  answer: (request: Admitted) => Promise<Response>,
): Promise<Response> {
  const { services, answers, log } = server;
  const { raw } = context.req;
  let headers: AnswerHeaders = {};
  try {
    const admission = await server.admit(raw);
    const { caller } = admission;
    ({ headers } = admission);
    if (admission.refusal) throw admission.refusal;
    const hold: HoldAnswer = (kind) => answers.open(caller.keyId, kind, raw.signal, caller.expiresAt);
    return await answer({ services, caller, headers, hold });
  } catch (error) {
    return answerError(error, log, headers);
  }
}

type Admitted = OperationRequest & { headers: AnswerHeaders };

async function answerOperation(
  operation: Operation,
  context: HttpContext,
  request: Admitted,
  { answers, log, maxBodyBytes }: OperationServer,
): Promise<Response> {
  const [method, , success] = operation.route;
  const { raw, url } = context.req;
  const readFields: FieldReader = async () => {
    const body = method === "GET" ? {} : await readJsonBody(raw, maxBodyBytes);
    answers.requireKey(request.caller.keyId);
    const query = url.includes("?") ? new URL(url).searchParams : null;
    return collectFields(operation, context.req.param(), query, body, raw.headers);
  };
  const wantsStream = raw.method === "GET" && raw.headers.get("accept")?.toLowerCase().includes("text/event-stream");
  if (!operation.stream || !wantsStream) {
    const added: Record<string, string> = {};
    const addHeader = (name: string, value: string) => void (added[name] = value);
    const body = await operation.call({ ...request, addHeader }, readFields);
    return answerJson(body, success, { ...request.headers, ...added });
  }
  const stream = await operation.stream(request, () => resumeAfter(raw, readFields));
  const { outgoing } = context.env;
  const body = streamBody(stream, {
    after: request.services.world.after,
    onError: (error) => log.error(error, "An event stream broke off"),
    cut: outgoing ? () => outgoing.destroy() : null,
  });
  return new Response(body, { status: 200, headers: { ...eventStreamHeaders, ...request.headers } });
}

/** A client that comes back names the last event that it has, whatever its address says. */
async function resumeAfter(raw: Request, readFields: FieldReader): Promise<Record<string, unknown>> {
  const fields = await readFields();
  const last = raw.headers.get("last-event-id");
  if (last === null || last === "") return fields;
  if (!/^\d{1,15}$/.test(last)) throw new ApiError("BAD_REQUEST", "Last-Event-ID must be the id of an event");
  return { ...fields, after: Number(last) };
}

async function refuseRoute(server: OperationServer, context: HttpContext, headers: AnswerHeaders): Promise<Response> {
  const { path, method } = context.req;
  const found = server.operations.filter(({ route }) => matchesRoute(route[1], path.slice(runtimeBase.length)));
  if (found.length === 0) throw notFound(path);
  const allow = found.map(({ route }) => route[0]).join(", ");
  return answerNotAllowed(method, allow, server.log, headers);
}

/** Whether a path below the API's base is one of a route, such as `/runs/:run_id`. */
export function matchesRoute(route: string, path: string): boolean {
  const [parts, given] = [route.split("/"), path.split("/")];
  const fits = (part: string, text = "") => (part.startsWith(":") ? text !== "" : part === text);
  return parts.length === given.length && parts.every((part, index) => fits(part, given[index]));
}

function notFound(path: string): ApiError {
  return new ApiError("NOT_FOUND", `Nothing is served at ${path.slice(0, 200)}`);
}
