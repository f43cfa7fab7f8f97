import { chmodSync, rmSync } from "node:fs";
import { type IncomingMessage, type Server, createServer, get } from "node:http";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import { json } from "node:stream/consumers";
import { type HttpBindings, getRequestListener } from "@hono/node-server";
import { ApiError } from "../../contract/errors.ts";
import type { Log } from "../log.ts";
import { answerError } from "./answer.ts";
import type { FetchApp } from "./runtime-app.ts";

/** How long a request may take to arrive, in milliseconds, and how many connections there may be. */
export type ServerBounds = {
  headersTimeout: number;
  requestTimeout: number;
  /** How often the times are looked at. */
  connectionsCheckingInterval: number;
  maxConnections: number;
};

/** Contract 17; a held answer or a stream is not a request under way. */
const usualBounds: ServerBounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  maxConnections: 512,
};
/**
 * How long a connection stays open between two requests. A client that reuses one at the moment in which it is closed
 * sees its request fail, so that this is longer than what clients usually keep an idle connection for.
 */
const keepAliveTimeout = 65_000;
/** How long whoever has the port is given to tell who it is. */
const holderPatienceMs = 500;
/** How long answers in progress may take when the server closes. */
const closeGraceMs = 2_000;

export type HttpServer = { port: number; close(): Promise<void> };

/** Serves an app on a host and port; port 0 takes any free one. Throws CONFLICT naming a port that is in use. */
export async function serveTcp(
  app: FetchApp,
  place: { host: string; port: number },
  log: Log,
  bounds = usualBounds,
): Promise<HttpServer> {
  const server = makeServer(app, log, bounds);
  try {
    await listen(server, place);
  } catch (error) {
    throw await explain(error, place);
  }
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

/**
 * Serves an app on a Unix domain socket that this user alone can open. A socket that a daemon left behind is removed:
 * the caller holds the instance lock.
 */
export async function serveSocket(app: FetchApp, path: string, log: Log): Promise<Pick<HttpServer, "close">> {
  const server = makeServer(app, log, usualBounds);
  const isFile = process.platform !== "win32";
  if (isFile) rmSync(path, { force: true });
  await listen(server, { path });
  if (isFile) chmodSync(path, 0o600);
  return { close: () => close(server) };
}

function makeServer(app: FetchApp, log: Log, { maxConnections, ...times }: ServerBounds): Server {
  const ask = async (request: Request, bindings: HttpBindings) => {
    const response = await app(request, bindings);
    // The rest of a body of unknown length is not read, so that nothing more can be asked on its connection.
    const isCutOff = response.status === 413 && request.headers.has("transfer-encoding");
    if (isCutOff) bindings.outgoing.shouldKeepAlive = false;
    return response;
  };
  const listener = getRequestListener(async (request, bindings) => ask(request, bindings as HttpBindings), {
    hostname: "localhost",
    errorHandler: (error) => answerError(requestProblem(error), log),
  });
  const server = createServer({ ...times, keepAliveTimeout }, (incoming, outgoing) => {
    // Once the server closes, a client that keeps its connection must not hold the stop up, nor go on asking.
    outgoing.once("close", () => server.listening || incoming.socket.destroySoon());
    void listener(incoming, outgoing);
  });
  server.maxConnections = maxConnections;
  server.on("clientError", refuseMalformed);
  return server;
}

/** The adapter could not make a request of what came: its target or its Host is malformed. */
function requestProblem(error: unknown): unknown {
  const isMalformed = error instanceof Error && error.name === "RequestError";
  return isMalformed ? new ApiError("BAD_REQUEST", `The request is malformed: ${error.message}`) : error;
}

/** Answers what is no HTTP, has too large headers or came too slowly, in the shape of every error. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  // Where something was answered already, an answer of ours might fall into the middle of another.
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const status = {
    HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
    ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  };
  const line = Object.entries(status).find(([code]) => code === error.code)?.[1] ?? "400 Bad Request";
  const body = JSON.stringify({ error: "The request is malformed, too large or too slow", code: "BAD_REQUEST" });
  const head = `HTTP/1.1 ${line}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  socket.end(`${head}\r\n\r\n${body}`);
}

async function listen(server: Server, place: ListenOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(place, resolve);
  await promise;
  server.off("error", reject);
}

async function explain(error: unknown, { host, port }: { host: string; port: number }): Promise<unknown> {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EADDRINUSE") {
    const holder = await nameHolder(host, port);
    const message = `Port ${port} of ${host} is in use${holder}: stop what listens there, or choose another with --port (0: any free one)`;
    return new ApiError("CONFLICT", message);
  }
  if (code === "EACCES") return new ApiError("FORBIDDEN", `This user may not listen on port ${port} of ${host}`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new ApiError("BAD_REQUEST", `${host} is not an address of this machine`);
  }
  return error;
}

/** Another daemon is told by its health; empty for anything else. */
async function nameHolder(host: string, port: number): Promise<string> {
  const place = { host: host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host, port };
  const { promise, resolve } = Promise.withResolvers<IncomingMessage | null>();
  const sent = get({ ...place, path: "/healthz", agent: false, timeout: holderPatienceMs }, resolve);
  sent.on("timeout", () => sent.destroy()).on("error", () => resolve(null));
  try {
    const answer = await promise;
    const { status, version } = (answer ? await json(answer) : {}) as Record<string, unknown>;
    const isOurs = status === "ok" && typeof version === "string" && /^[\w.+-]{1,40}$/.test(version);
    return isOurs ? ` by another Stepgate daemon (version ${version})` : "";
  } catch {
    return "";
  } finally {
    sent.destroy();
  }
}

/** Takes no more requests, lets answers in progress end, and breaks off those that take longer. */
async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs);
  await promise;
  clearTimeout(timer);
}
