/** Codes of JSON-RPC 2.0 and of MCP that this server answers with. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Everything of the service itself; `data` has the body that REST would have. */
  serverError: -32000,
  /** Of the handshake era; the modern era says invalidParams. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** An error of the protocol: answered as a JSON-RPC error, never as the result of a tool. */
export class RpcError extends Error {
  readonly code: number;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly data: unknown;

  constructor(code: number, message: string, extra: { status?: number; data?: unknown } = {}) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.status = extra.status ?? 200;
    this.data = extra.data;
  }
}
