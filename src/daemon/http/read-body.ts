import { ApiError } from "../../contract/errors.ts";
import { maxJsonDepth } from "../../contract/limits.ts";
import { isRecord } from "../../engine/values/json.ts";

/**
 * Reads a request's body as a JSON object; no body at all is an empty one. Throws PAYLOAD_TOO_LARGE above `maxBytes`
 * without reading on, and BAD_REQUEST for what is no JSON, no object or nested too deep (contract 6, 17).
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.byteLength === 0) return {};
  const value = parseJson(bytes);
  if (!isRecord(value)) throw new ApiError("BAD_REQUEST", "The body must be a JSON object");
  if (!isWithinDepth(value, maxJsonDepth)) {
    throw new ApiError("BAD_REQUEST", `The body is nested more than ${maxJsonDepth} levels deep`);
  }
  return value;
}

/**
 * The bytes of a body; throws PAYLOAD_TOO_LARGE above `maxBytes` without reading on, UNSUPPORTED_MEDIA_TYPE for one that
 * is compressed, and BAD_REQUEST when the client leaves before the end, which is no error of the daemon's.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  requirePlain(request.headers.get("content-encoding"));
  try {
    return await receive(request, maxBytes);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError("BAD_REQUEST", "The body did not arrive to its end");
  }
}

/** The encodings that change bytes; some senders write the character set there, which changes none. */
const compressed = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/** What is small on the wire can be huge in memory, so nothing is unpacked. */
function requirePlain(encoding: string | null): void {
  if (encoding === null || !compressed.test(encoding)) return;
  const message = `A body in the encoding ${encoding.slice(0, 40)} can't be read; send it uncompressed, without Content-Encoding`;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", message);
}

async function receive(request: Request, maxBytes: number): Promise<Uint8Array> {
  const length = request.headers.get("content-length");
  if (length !== null) {
    // The server holds a request to the length that it names.
    if (Number(length) > maxBytes) throw tooLarge(maxBytes);
    return new Uint8Array(await request.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    total += chunk.byteLength;
    if (total > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError("PAYLOAD_TOO_LARGE", `The body is larger than ${maxBytes} bytes`);
}

const decoder = new TextDecoder("utf-8", { fatal: true });
/** What V8 says of the text around the place: `Unexpected token 'x', ..."abcx"... is not valid JSON`. */
const quotation = /, (?:\.{3})?".*"(?:\.{3})? is not valid JSON$/s;

/** The value of a JSON text in UTF-8; throws BAD_REQUEST for anything else, which may quote the text unless told not to. */
export function parseJson(bytes: Uint8Array, { isQuoted = true } = {}): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    const told = error instanceof SyntaxError ? error.message : "not UTF-8";
    const reason = isQuoted ? told : told.replace(quotation, "");
    throw new ApiError("BAD_REQUEST", `The body is not valid JSON: ${reason.slice(0, 200)}`);
  }
}

/** True when no path into a value passes more than `levels` objects and lists. */
export function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.every((member) => isWithinDepth(member, levels - 1));
}
