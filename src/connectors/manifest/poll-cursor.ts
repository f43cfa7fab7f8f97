import { toText } from "../../engine/values/json.ts";
import type { Json } from "../../contract/json.ts";

/** Where the last poll ended: the greatest id or time, or the service's token; `ids` are those of that very time. */
export type Cursor = { last: string | number | null; ids: string[] };

/** An item with its id and with what it is ordered by. */
export type Seen = { id: string | number; at: unknown; item: Json };

/**
 * Of what a poll has seen, what is new since the last one, and the next cursor. By id or time the oldest comes first; by
 * token everything is new, in the service's order. The first poll tells nothing.
 */
export function advance(
  by: "id" | "time" | "token",
  seen: readonly Seen[],
  cursor: Cursor | null,
  token: unknown,
): { fresh: readonly Seen[]; next: Cursor } {
  if (by === "token") {
    const last = typeof token === "string" || typeof token === "number" ? token : (cursor?.last ?? null);
    return { fresh: cursor ? seen : [], next: { last, ids: [] } };
  }
  const order = by === "id" ? compareIds : compareTimes;
  const known = seen.filter((one): one is Seen & { at: string | number } => isOrdered(one.at));
  const sorted = known.toSorted((a, b) => order(a.at, b.at));
  const newest = sorted.at(-1)?.at;
  const last = cursor?.last ?? null;
  const fresh = sorted.filter(({ id, at }) => {
    if (last === null) return true;
    const distance = order(at, last);
    return distance > 0 || (by === "time" && distance === 0 && !cursor?.ids.includes(toText(id)));
  });
  if (newest === undefined || (last !== null && order(newest, last) < 0)) {
    return { fresh: [], next: cursor ?? { last: null, ids: [] } };
  }
  const ids = by === "id" ? [] : sorted.filter(({ at }) => order(at, newest) === 0).map(({ id }) => toText(id));
  const kept = last !== null && order(newest, last) === 0 ? [...(cursor?.ids ?? []), ...ids] : ids;
  return {
    fresh: cursor ? fresh : [],
    next: { last: newest, ids: by === "id" ? [] : [...new Set(kept)].slice(-1000) },
  };
}

function isOrdered(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** Whole numbers by their value, however long; other ids as text. */
function compareIds(a: string | number, b: string | number): number {
  const [left, right] = [String(a), String(b)];
  if (/^\d{1,200}$/.test(left) && /^\d{1,200}$/.test(right)) {
    const difference = BigInt(left) - BigInt(right);
    return difference > 0n ? 1 : difference < 0n ? -1 : 0;
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Numbers as they are; texts as the dates that they write. */
function compareTimes(a: string | number, b: string | number): number {
  return instant(a) - instant(b);
}

function instant(value: string | number): number {
  const number = typeof value === "number" || /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : Date.parse(value);
  return Number.isFinite(number) ? number : 0;
}
