import type { ErrorBody } from "../../src/contract/errors.ts";
import { type Answer, type TestRuntime, bearer, readAnswer } from "./runtime.ts";

export type RpcResult = Record<string, unknown>;

/** What JSON-RPC answers with; an answer of the HTTP layer has the body of a REST error instead. */
export type RpcBody = {
  jsonrpc: "2.0";
  id: string | number | null;
  result?: RpcResult;
  error?: { code: number; message: string; data?: unknown };
};

export type ToolResult<Body> = {
  content: [{ type: "text"; text: string }];
  structuredContent?: Body;
  isError?: boolean;
};

export type PostOptions = {
  /** null sends none. */
  key?: string | null;
  headers?: Record<string, string>;
  /** What follows /mcp in the address. */
  query?: string;
  /** What a modern client says that it can do. */
  capabilities?: object;
};

export const modern = "2026-07-28";

/** The `_meta` of a modern request. */
export function modernMeta(version = modern, capabilities: object = {}): Record<string, unknown> {
  return {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
}

/** The headers of a modern request about `named`, if it is about something. */
export function modernHeaders(method: string, named?: string): Record<string, string> {
  const about: Record<string, string> = named === undefined ? {} : { "mcp-name": named };
  return { "mcp-protocol-version": modern, "mcp-method": method, ...about };
}

/** Posts a body, as it is where it is text, and gives the whole HTTP answer. */
export async function postMcp<Body = RpcBody>(
  runtime: TestRuntime,
  body: unknown,
  { key = runtime.secret, headers = {}, query = "" }: PostOptions = {},
): Promise<Answer<Body>> {
  const response = await runtime.request("POST", `//mcp${query}`, {
    headers: { "content-type": "application/json", ...(key !== null && bearer(key)), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return readAnswer<Body>(response);
}

/** A request without the modern era's `_meta` and headers. */
export async function request(
  runtime: TestRuntime,
  method: string,
  params: Record<string, unknown> = {},
  options?: PostOptions,
): Promise<Answer<RpcBody>> {
  return postMcp(runtime, { jsonrpc: "2.0", id: 1, method, params }, options);
}

/** The result of a request; throws where there is none. */
export async function resultOf<Result = RpcResult>(
  runtime: TestRuntime,
  method: string,
  params?: Record<string, unknown>,
  options?: PostOptions,
): Promise<Result> {
  const { body } = await request(runtime, method, params, options);
  if (body.result === undefined) throw new Error(JSON.stringify(body));
  return body.result as Result;
}

/** A request with all that the modern era asks for. */
export async function modernRequest(
  runtime: TestRuntime,
  method: string,
  params: Record<string, unknown> = {},
  options: PostOptions = {},
): Promise<Answer<RpcBody>> {
  const named = params["name"] ?? params["uri"] ?? params["taskId"];
  const headers = { ...modernHeaders(method, typeof named === "string" ? named : undefined), ...options.headers };
  const withMeta = { ...params, _meta: modernMeta(modern, options.capabilities) };
  return request(runtime, method, withMeta, { ...options, headers });
}

/** Calls a tool and gives its body; throws where the call is an error. */
export async function callTool<Body>(
  runtime: TestRuntime,
  name: string,
  args?: unknown,
  options?: PostOptions,
): Promise<Body> {
  const result = await resultOf<ToolResult<Body>>(runtime, "tools/call", { name, arguments: args }, options);
  if (result.structuredContent === undefined) throw new Error(JSON.stringify(result));
  return result.structuredContent;
}

/** Calls a tool that has to fail and gives its error. */
export async function failTool(
  runtime: TestRuntime,
  name: string,
  args?: unknown,
  options?: PostOptions,
): Promise<ErrorBody> {
  const result = await resultOf<ToolResult<unknown>>(runtime, "tools/call", { name, arguments: args }, options);
  if (!result.isError || "structuredContent" in result) throw new Error(JSON.stringify(result));
  return JSON.parse(result.content[0].text) as ErrorBody;
}
