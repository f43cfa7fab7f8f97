import { ApiError } from "../../contract/errors.ts";
import type { World } from "../../engine/world.ts";
import type { Hold } from "../operation.ts";

type Kind = "answer" | "stream";

/** Held answers and streams at once, of one key and of all (contract 6). */
const perKey: Readonly<Record<Kind, number>> = { answer: 16, stream: 5 };
const inAll = 256;

const nouns: Readonly<Record<Kind, string>> = { answer: "held answers", stream: "streams" };

/** Keeps count of the answers that are kept open, and ends them. */
export type OpenAnswers = {
  /**
   * Throws RATE_LIMIT_EXCEEDED or OVERLOADED when there are too many, and UNAUTHORIZED for a key that was revoked since
   * its request came. Ends at `expiresAt` (epoch milliseconds). The local caller has no key and no share.
   */
  open(keyId: string | null, kind: Kind, client: AbortSignal, expiresAt?: number | null): Hold;
  /** Throws UNAUTHORIZED for a key that was revoked since its request was let in: a body may take its time. */
  requireKey(keyId: string | null): void;
  /** Ends all of a key that was revoked, and lets it open no more. */
  endKey(keyId: string): void;
  /** Ends all: the daemon stops. */
  endAll(): void;
};

type Open = { keyId: string | null; kind: Kind; controller: AbortController };

const revoked = new ApiError("UNAUTHORIZED", "API key revoked");
const expired = new ApiError("UNAUTHORIZED", "API key expired");

/** Calls back at a moment, unless the function that it returns was called before; a timer may be too short for it. */
function callAt(world: Pick<World, "now" | "after">, moment: number, callback: () => void): () => void {
  let stop = (): void => undefined;
  const look = (): void => {
    const left = moment - world.now().getTime();
    if (left <= 0) callback();
    else stop = world.after(left, look);
  };
  look();
  return () => stop();
}

export function createOpenAnswers(world: Pick<World, "now" | "after">): OpenAnswers {
  const open = new Set<Open>();
  /** Keys that were revoked: a request of theirs may still be on its way here. */
  const ended = new Set<string>();

  function requireKey(keyId: string | null): void {
    if (keyId !== null && ended.has(keyId)) throw revoked;
  }

  function admit(keyId: string | null, kind: Kind): void {
    requireKey(keyId);
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
    requireKey,
    open(keyId, kind, client, expiresAt = null) {
      admit(keyId, kind);
      const entry = { keyId, kind, controller: new AbortController() };
      open.add(entry);
      const forget = expiresAt === null ? null : callAt(world, expiresAt, () => entry.controller.abort(expired));
      function release(): void {
        open.delete(entry);
        forget?.();
        client.removeEventListener("abort", release);
        entry.controller.abort();
      }
      client.addEventListener("abort", release);
      if (client.aborted) release();
      return { signal: entry.controller.signal, release };
    },
    endKey(keyId) {
      ended.add(keyId);
      for (const entry of open) if (entry.keyId === keyId) entry.controller.abort(revoked);
    },
    endAll() {
      for (const entry of open) entry.controller.abort();
    },
  };
}
