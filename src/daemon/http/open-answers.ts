import { ApiError } from "../../contract/errors.ts";
import type { Hold } from "../operation.ts";

type Kind = "answer" | "stream";

/** Held answers and streams at once, of one key and of all (contract 6). */
const perKey: Readonly<Record<Kind, number>> = { answer: 16, stream: 5 };
const inAll = 256;

const nouns: Readonly<Record<Kind, string>> = { answer: "held answers", stream: "streams" };

/** Keeps count of the answers that are kept open, and ends them. */
export type OpenAnswers = {
  /** Throws RATE_LIMIT_EXCEEDED or OVERLOADED when there are too many. The local caller has no key and no share. */
  open(keyId: string | null, kind: Kind, client: AbortSignal): Hold;
  /** Ends all of a key that was revoked. */
  endKey(keyId: string): void;
  /** Ends all: the daemon stops. */
  endAll(): void;
};

type Open = { keyId: string | null; kind: Kind; controller: AbortController };

export function createOpenAnswers(): OpenAnswers {
  const open = new Set<Open>();

  function admit(keyId: string | null, kind: Kind): void {
    if (open.size >= inAll) {
      throw new ApiError("OVERLOADED", `${inAll} answers are kept open already; try again in a moment`, {
        retryAfterSeconds: 1,
      });
    }
    if (keyId === null) return;
    const own = [...open].filter((other) => other.keyId === keyId && other.kind === kind).length;
    if (own < perKey[kind]) return;
    throw new ApiError("RATE_LIMIT_EXCEEDED", "Rate limit exceeded", {
      details: [
        { limit: `open_${kind}s`, maximum: perKey[kind], message: `${own} ${nouns[kind]} of this key are open` },
      ],
      retryAfterSeconds: 1,
    });
  }

  return {
    open(keyId, kind, client) {
      admit(keyId, kind);
      const entry = { keyId, kind, controller: new AbortController() };
      open.add(entry);
      function release(): void {
        open.delete(entry);
        client.removeEventListener("abort", release);
        entry.controller.abort();
      }
      client.addEventListener("abort", release);
      if (client.aborted) release();
      return { signal: entry.controller.signal, release };
    },
    endKey(keyId) {
      const reason = new ApiError("UNAUTHORIZED", "API key revoked");
      for (const entry of open) if (entry.keyId === keyId) entry.controller.abort(reason);
    },
    endAll() {
      for (const entry of open) entry.controller.abort();
    },
  };
}
