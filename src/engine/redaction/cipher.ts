import { createCipheriv, createDecipheriv, createHash } from "node:crypto";

/** Seals texts with the master key, each bound to what it belongs to. */
export type Cipher = {
  /** Tells keys apart and gives nothing of them away. */
  keyName: string;
  /** The text under `owner`: at another owner's place it can't be opened. */
  seal(owner: string, text: string): Uint8Array;
  /** The text, or why it can't be had: bytes that somebody changed or moved, or another key. */
  open(owner: string, sealed: Uint8Array): { text: string } | { problem: string };
};

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
 * AES-256-GCM under a random nonce of 12 bytes, bound to owner and key. Form: 1 byte version, 4 bytes of the key's name,
 * nonce, ciphertext, tag.
 */
export function createCipher(key: Uint8Array, randomBytes: (length: number) => Uint8Array): Cipher {
  if (key.length !== masterKeyBytes) throw new Error(`A master key has ${masterKeyBytes} bytes, not ${key.length}`);
  const name = createHash("sha256").update("stepgate master key").update(key).digest().subarray(0, nameBytes);
  const keyName = name.toString("hex");
  const bind = (owner: string) => Buffer.from(`stepgate|${form}|${keyName}|${owner}`);
  return {
    keyName,
    seal(owner, text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(bind(owner));
      const parts = [
        Uint8Array.of(form),
        name,
        nonce,
        cipher.update(text, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ];
      // An array of its own: a small Buffer is a view of a shared pool, which would cross threads whole.
      return new Uint8Array(Buffer.concat(parts));
    },
    open(owner, sealed) {
      const bytes = Buffer.from(sealed);
      const sealedBy = bytes.subarray(1, 1 + nameBytes).toString("hex");
      if (bytes[0] !== form || bytes.length < headBytes + tagBytes) return { problem: "they are damaged" };
      if (sealedBy !== keyName) return { problem: otherKey(sealedBy, keyName) };
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(1 + nameBytes, headBytes)).setAAD(bind(owner));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = decipher.update(bytes.subarray(headBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
        return { text };
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        return { problem: `the master key ${keyName} does not open them, they were changed (${reason})` };
      }
    },
  };
}

function otherKey(sealedBy: string, keyName: string): string {
  return (
    `they are sealed with the master key ${sealedBy}, and this daemon has ${keyName}; ` +
    "put the earlier key back (the file master.key in the data directory, or STEPGATE_MASTER_KEY) and restart"
  );
}
