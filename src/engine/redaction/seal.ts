import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import type { Json } from "../../contract/json.ts";
import type { SealedPlace } from "../../store/store.ts";

/** What a run's true values are sealed with, so that they can be kept beside the redacted ones (contract 15). */
export type Sealer = {
  /** Tells keys apart and gives nothing of them away. */
  keyName: string;
  /** The same value at another place of a run, or in another run, can't be opened there. */
  seal(runId: string, place: SealedPlace, value: Json): Uint8Array;
  /** Throws GoneOriginalsError for what another key sealed, or for bytes that somebody changed. */
  open(runId: string, place: SealedPlace, sealed: Uint8Array): Json;
};

/** The true values behind redacted ones can't be read any more: whatever needs them must not go on without them. */
export class GoneOriginalsError extends Error {
  constructor(what: string, why: string) {
    super(`The original values of ${what} are gone: ${why}`);
    this.name = "GoneOriginalsError";
  }
}

const algorithm = "aes-256-gcm";
/** First byte of everything sealed, for the day on which the form changes. */
const form = 1;
const nameBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + nameBytes + nonceBytes;

/** Bytes of the master key. */
export const masterKeyBytes = 32;

/**
 * Seals with AES-256-GCM under a random nonce of 12 bytes, bound to run, place and key. Form: 1 byte version, 4 bytes of
 * the key's name, nonce, ciphertext, tag.
 */
export function createSealer(key: Uint8Array, randomBytes: (length: number) => Uint8Array): Sealer {
  if (key.length !== masterKeyBytes) throw new Error(`A master key has ${masterKeyBytes} bytes, not ${key.length}`);
  const name = createHash("sha256").update("stepgate master key").update(key).digest().subarray(0, nameBytes);
  const keyName = name.toString("hex");
  const bind = (runId: string, place: SealedPlace) => Buffer.from(`stepgate|${form}|${keyName}|${runId}|${place}`);
  return {
    keyName,
    seal(runId, place, value) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(bind(runId, place));
      const text = cipher.update(JSON.stringify(value), "utf8");
      const parts = [Uint8Array.of(form), name, nonce, text, cipher.final(), cipher.getAuthTag()];
      // An array of its own: a small Buffer is a view of a shared pool, which would cross threads whole.
      return new Uint8Array(Buffer.concat(parts));
    },
    open(runId, place, sealed) {
      const what = describePlace(runId, place);
      const bytes = Buffer.from(sealed);
      const sealedBy = bytes.subarray(1, 1 + nameBytes).toString("hex");
      if (bytes[0] !== form || bytes.length < headBytes + tagBytes)
        throw new GoneOriginalsError(what, "they are damaged");
      if (sealedBy !== keyName) throw new GoneOriginalsError(what, otherKey(sealedBy, keyName));
      const nonce = bytes.subarray(1 + nameBytes, headBytes);
      const decipher = createDecipheriv(algorithm, key, nonce).setAAD(bind(runId, place));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = decipher.update(bytes.subarray(headBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
        return JSON.parse(text) as Json;
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new GoneOriginalsError(
          what,
          `the master key ${keyName} does not open them, they were changed (${reason})`,
        );
      }
    },
  };
}

/** How errors name a place. */
export function describePlace(runId: string, place: SealedPlace): string {
  return typeof place === "number" ? `event ${place} of run ${runId}` : `the ${place} of run ${runId}`;
}

function otherKey(sealedBy: string, keyName: string): string {
  return (
    `they are sealed with the master key ${sealedBy}, and this daemon has ${keyName}; ` +
    "put the earlier key back (the file master.key in the data directory, or STEPGATE_MASTER_KEY) and restart"
  );
}
