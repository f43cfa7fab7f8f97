import type { Json } from "../../contract/json.ts";
import { isObject } from "../parse-input.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";
const namedBy: ReadonlyMap<unknown, "name" | "uri" | "taskId"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/**
 * The headers in which MCP's revision 2026-07-28 repeats a message over HTTP, which a client of stdio does not send.
 * None for a message of an earlier revision.
 */
export function headersOf(message: Json): Record<string, string> {
  const { method, params } = isObject(message) ? message : {};
  if (typeof method !== "string" || !isObject(params)) return {};
  const meta = params["_meta"];
  const version = isObject(meta) ? meta[versionKey] : undefined;
  if (typeof version !== "string") return {};
  const field = namedBy.get(method);
  const name = field && params[field];
  return {
    "mcp-protocol-version": encodeHeader(version),
    "mcp-method": encodeHeader(method),
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}

/** A text as a header's value: as it is where a header can carry it, else in Base64 between the protocol's marks. */
function encodeHeader(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  const isMark = text.startsWith("=?base64?") && text.endsWith("?=");
  return isPlain && !isMark ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
