import { isRecord } from "../../engine/values/json.ts";
import type { RpcRequest } from "./read-message.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

/**
 * MCP has two eras: up to 2025-11-25 a client begins with `initialize`; from 2026-07-28 on every request stands alone
 * and says in `_meta` and in headers which revision it speaks. Both are served side by side.
 */
export type Era = "handshake" | "modern";

const modernVersion = "2026-07-28";

/** Revisions of the handshake era, newest first. */
const handshakeVersions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

export const supportedVersions: readonly string[] = [modernVersion, ...handshakeVersions];

const versionHeader = "mcp-protocol-version";
const versionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

/** The revision that `initialize` agrees on: the one asked for, else the newest of its era. */
export function negotiateVersion(requested: unknown): string {
  return handshakeVersions.find((version) => version === requested) ?? "2025-11-25";
}

/** Which era's rules a request is to be held to. */
export function eraOf({ method, params }: Pick<RpcRequest, "method" | "params">, headers: Headers): Era {
  if (method === "server/discover" || readMeta(params, versionKey) !== undefined) return "modern";
  const version = headers.get(versionHeader);
  if (version === null || method === "initialize") return "handshake";
  return handshakeVersions.includes(version) ? "handshake" : "modern";
}

/**
 * Checks what every request of the modern era carries (revision 2026-07-28, transports and versioning): its revision in
 * header and `_meta`, its method and `named` (the tool, prompt or resource it is about) repeated in headers, and the
 * client's capabilities. Throws headerMismatch, unsupportedVersion or invalidParams, all with status 400.
 */
export function checkModernRequest({ method, params }: RpcRequest, headers: Headers, named: unknown): void {
  const version = readMeta(params, versionKey);
  checkVersion(version, headers.get(versionHeader));
  requireSame("Mcp-Method", headers.get("mcp-method"), method);
  if (typeof named === "string") requireSame("Mcp-Name", decodeHeader(headers.get("mcp-name")), named);
  if (!isRecord(readMeta(params, capabilitiesKey))) throw missingMeta(capabilitiesKey);
}

function checkVersion(version: unknown, header: string | null): void {
  if (header === null) throw mismatch("The header MCP-Protocol-Version is missing");
  if (version === undefined && header === modernVersion) throw missingMeta(versionKey);
  if (version !== undefined) requireSame("MCP-Protocol-Version", header, version);
  if (header === modernVersion) return;
  throw new RpcError(rpcCodes.unsupportedVersion, `The protocol version ${header.slice(0, 100)} is not supported`, {
    status: 400,
    data: { supported: supportedVersions, requested: header },
  });
}

/** What the client says that it can do; only modern requests carry it. */
export function readCapabilities(params: RpcRequest["params"]): unknown {
  return readMeta(params, capabilitiesKey);
}

function readMeta(params: RpcRequest["params"], key: string): unknown {
  const meta = params["_meta"];
  return isRecord(meta) && Object.hasOwn(meta, key) ? meta[key] : undefined;
}

function requireSame(name: string, header: string | null, body: unknown): void {
  if (header === null) throw mismatch(`The header ${name} is missing or malformed`);
  if (header !== body) throw mismatch(`The header ${name} does not say the same as the body`);
}

function mismatch(message: string): RpcError {
  return new RpcError(rpcCodes.headerMismatch, message, { status: 400 });
}

function missingMeta(key: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, `params._meta lacks ${key}`, { status: 400 });
}

const encoded = /^=\?base64\?(?<base64>(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** A header's value as it was meant: what does not fit a header comes as Base64 between marks. Null when malformed. */
function decodeHeader(value: string | null): string | null {
  if (!value?.startsWith("=?base64?") || !value.endsWith("?=")) return value;
  const base64 = encoded.exec(value)?.groups?.["base64"];
  return base64 === undefined ? null : Buffer.from(base64, "base64").toString();
}
