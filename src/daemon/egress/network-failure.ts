import { CallError, findCallError } from "../../engine/calls/call-error.ts";

/** What the error codes of sockets and of undici mean, in words that follow the host's name. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ECONNRESET: "closed the connection",
  EPIPE: "closed the connection",
  UND_ERR_SOCKET: "closed the connection",
  ENOTFOUND: "has no address",
  EAI_AGAIN: "could not be resolved for now",
  EHOSTUNREACH: "can't be reached",
  ENETUNREACH: "can't be reached",
  ETIMEDOUT: "did not take the connection in time",
  UND_ERR_CONNECT_TIMEOUT: "did not take the connection in time",
};
const timeouts: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/**
 * A broken call as the failure of a step (contract 13): connection errors are `UPSTREAM_ERROR`, an answer that never came
 * or stopped is `TIMEOUT`, and one that is no HTTP is `UNKNOWN`.
 */
export function networkFailure(thrown: unknown, host: string): CallError {
  const known = findCallError(thrown);
  if (known) return known;
  const code = codeOf(thrown);
  const details = code === null ? {} : { details: { cause: code } };
  if (isGarbage(thrown)) {
    return new CallError({ code: "UNKNOWN", message: `${host} answered with something that is no HTTP`, ...details });
  }
  if (code !== null && timeouts.has(code)) {
    return new CallError({ code: "TIMEOUT", message: `${host} did not answer in time`, retryable: true, ...details });
  }
  if (isBlockedPort(thrown)) {
    const message = `${host} can't be reached: its port is one of another protocol, which fetch never calls`;
    return new CallError({ code: "UPSTREAM_ERROR", message, retryable: true });
  }
  const what = (code === null ? undefined : words[code]) ?? `could not be called: ${messageOf(thrown)}`;
  return new CallError({ code: "UPSTREAM_ERROR", message: `${host} ${what}`, retryable: true, ...details });
}

/** Fetch connects to no port of other protocols, such as 1 or 25, so that nobody was asked about the address. */
export function isBlockedPort(thrown: unknown): boolean {
  return messageOf(thrown) === "bad port";
}

/** Undici's parser found no HTTP. */
function isGarbage(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : null;
  return cause instanceof Error && cause.name === "HTTPParserError";
}

/** The innermost cause says most. */
function codeOf(thrown: unknown): string | null {
  let code: string | null = null;
  for (let error = thrown, depth = 0; error instanceof Error && depth < 10; error = error.cause, depth += 1) {
    if ("code" in error && typeof error.code === "string") code = error.code;
  }
  return code;
}

function messageOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return cause instanceof Error ? cause.message : String(cause);
}
