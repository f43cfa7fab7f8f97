import { createHash } from "node:crypto";
import { isRecord } from "./values/json.ts";

/** A request to run an action, and the key under which the caller would repeat it. */
export type KeyedRequest = { workspaceId: number; slug: string; key: string; input: unknown; dryRun: boolean };

/**
 * What is remembered of a request with an idempotency key: a digest of the key within its workspace and action, and one
 * of the key with the request (contract 6). The order of an object's keys does not count. Neither tells the key, and
 * without the key nobody can try out what the request may have been.
 */
export function digestRequest({ workspaceId, slug, key, input, dryRun }: KeyedRequest): {
  id: Uint8Array;
  body: Uint8Array;
} {
  return {
    id: digest(JSON.stringify([workspaceId, slug, key])),
    body: digest(JSON.stringify([key, dryRun, isRecord(input) ? input : {}], sortKeys)),
  };
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

function sortKeys(_: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
