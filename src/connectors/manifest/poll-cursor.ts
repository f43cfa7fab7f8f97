import { toText } from "../../engine/values/json.ts";
import type { Json } from "../../contract/json.ts";

/** Where the last poll ended: the greatest id or time, or the service's token; `ids` are those of that very time. */
export type Cursor = { last: string | number | null; ids: string[] };

/** Ids of one very time that are remembered. */
const maxIds = 1000;

/** An item with its id and with what it is ordered by. */
export type Seen = { id: string | number; at: unknown; item: Json };

type Advance = { fresh: readonly Seen[]; next: Cursor };
type Ordered = Seen & { at: string | number };

/**
 * Of what a poll has seen, what is new since the last one, and the next cursor. By id or time the oldest comes first; by
 * token everything is new, in the service's order. The first poll tells nothing.
 */
export function advance(
  by: "id" | "time" | "token",
  seen: readonly Seen[],
  cursor: Cursor | null,
  token: unknown,
): Advance {
  const { fresh, next } = by === "token" ? byToken(seen, cursor, token) : byOrder(by, seen, cursor);
  return { fresh: cursor ? fresh : [], next };
}

function byToken(seen: readonly Seen[], cursor: Cursor | null, token: unknown): Advance {
  const last = typeof token === "string" || typeof token === "number" ? token : (cursor?.last ?? null);
  return { fresh: seen, next: { last, ids: [] } };
}

function byOrder(by: "id" | "time", seen: readonly Seen[], cursor: Cursor | null): Advance {
  const order = by === "id" ? compareIds : compareTimes;
  const before = cursor ?? { last: null, ids: [] };
  const { last } = before;
  // Nothing was seen yet: everything is newer.
  const distance = (at: string | number): number => (last === null ? 1 : order(at, last));
  const sorted = seen.filter((one): one is Ordered => isOrdered(one.at)).toSorted((a, b) => order(a.at, b.at));
  const newest = sorted.at(-1)?.at;
  if (newest === undefined || distance(newest) < 0) return { fresh: [], next: before };
  if (by === "id") return { fresh: sorted.filter(({ at }) => distance(at) > 0), next: { last: newest, ids: [] } };
  // Of one very time some may have been told already.
  const told = new Set(before.ids);
  const fresh = sorted.filter(({ id, at }) => distance(at) > 0 || (distance(at) === 0 && !told.has(toText(id))));
  const latest = sorted.filter(({ at }) => order(at, newest) === 0).map(({ id }) => toText(id));
  const ids = distance(newest) === 0 ? [...before.ids, ...latest] : latest;
  return { fresh, next: { last: newest, ids: [...new Set(ids)].slice(-maxIds) } };
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
