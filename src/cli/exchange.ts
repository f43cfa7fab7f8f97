import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

/** Where a daemon listens: its control socket, or an address and the key to show there. */
export type Target = { socketPath: string } | { url: URL; key: string };

export type Request = {
  method: "GET" | "POST";
  /** With its query. */
  path: string;
  /** Bytes go as they are, everything else as JSON. */
  body?: unknown;
  /** A JSON document that goes as it is written, in place of the body. */
  json?: string;
  headers?: Record<string, string>;
  signal: AbortSignal;
};

export type Answer = { status: number; headers: IncomingHttpHeaders; content: string };

/**
 * Sends a request and gives the response as soon as its head is there. Rejects with Node's error when that fails.
 * Redirects are not followed: the key stays here.
 */
export function openResponse(target: Target, request: Request): Promise<IncomingMessage> {
  const body = request.body instanceof Uint8Array ? request.body : (request.json ?? JSON.stringify(request.body));
  const type = body instanceof Uint8Array ? "application/octet-stream" : "application/json";
  const headers = { ...request.headers, ...(body === undefined ? {} : { "content-type": type }) };
  return new Promise((resolve, reject) => {
    const outgoing = connect(target, { ...request, headers });
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function connect(target: Target, { method, path, headers, signal }: Request) {
  const options = { method, headers: { accept: "application/json", ...headers }, signal };
  // Not imported: that would read all that the module exports, and so load undici, a third of a short command's time.
  const http = process.getBuiltinModule("node:http");
  if ("socketPath" in target) return http.request({ ...options, socketPath: target.socketPath, path });
  const { url, key } = target;
  const { request: send } = url.protocol === "https:" ? process.getBuiltinModule("node:https") : http;
  const authorized = { ...options.headers, authorization: `Bearer ${key}` };
  return send(new URL(url.pathname.replace(/\/$/, "") + path, url), { ...options, headers: authorized });
}

/** Reads a response to its end. */
export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  return { status: response.statusCode ?? 0, headers: response.headers, content: await text(response) };
}
