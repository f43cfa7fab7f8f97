import type { Json } from "../../contract/json.ts";

export type { Json } from "../../contract/json.ts";

export type Path = readonly (string | number)[];

/** Names that never resolve, even as own keys of a payload (contract 3). */
const hidden = new Set<unknown>(["__proto__", "constructor", "prototype"]);

/** True for a JSON object; false for arrays and null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as JSON: null for what is none (undefined, a function, a bigint). Members are not walked. */
export function toJson(value: unknown): Json {
  return isJson(value) ? value : null;
}

function isJson(value: unknown): value is Json {
  return value === null || ["boolean", "number", "string", "object"].includes(typeof value);
}

/**
 * The value that a JSON text holds; undefined when it is no JSON, or holds a number that outgrows every number: stored it
 * would be another value than the one that was read.
 */
export function parseJson(text: string): Json | undefined {
  try {
    const value = toJson(JSON.parse(text));
    return findOutgrown(value).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Where a value that was read from JSON holds a number beyond a double, such as 1e400: it is Infinity in memory, and null as
 * soon as it is written. Works through a list instead of recursion, so that no depth can overflow the stack.
 */
export function findOutgrown(value: unknown): Path[] {
  const found: Path[] = [];
  const open: { members: object; place: Place | null }[] = [{ members: [value], place: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { members, place } = next;
    for (const [name, member] of Object.entries(members)) {
      const key = Array.isArray(members) ? Number(name) : name;
      if (typeof member === "number" && !Number.isFinite(member)) found.push(toPath({ key, above: place }));
      else if (typeof member === "object" && member !== null)
        open.push({ members: member, place: { key, above: place } });
    }
  }
  return found;
}

/** The way to a member, from its end; members of one value share what lies above them. */
type Place = { key: string | number; above: Place | null };

/** Without the list of one in which the search began. */
function toPath(place: Place): Path {
  const path: (string | number)[] = [];
  for (let at: Place | null = place; at !== null; at = at.above) path.push(at.key);
  return path.toReversed().slice(1);
}

/** Reads own properties along a path: list items by index, keys of objects, `length` of a text or list; undefined when missing. */
export function readPath(value: unknown, path: Path): unknown {
  let current = value;
  for (const key of path) {
    current = readOwn(current, key);
    if (current === undefined) return undefined;
  }
  return current;
}

function readOwn(value: unknown, key: string | number): unknown {
  if (typeof value === "string") return key === "length" ? value.length : undefined;
  return hasMembers(value) && !hidden.has(key) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function hasMembers(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null;
}

/** Sets an own property whatever its name: plain assignment would take `__proto__` for the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else target[key] = value;
}

/** A copy with another value at a place; what lies beside the way to it is shared. */
export function replaceAt(value: Json, [key, ...rest]: readonly string[], replacement: Json): Json {
  if (key === undefined) return replacement;
  if (Array.isArray(value)) return value.with(Number(key), replaceAt(value[Number(key)] ?? null, rest, replacement));
  const copy: { [key: string]: Json } = { ...(isRecord(value) ? value : {}) };
  setOwn(copy, key, replaceAt((Object.hasOwn(copy, key) ? copy[key] : null) ?? null, rest, replacement));
  return copy;
}

/** The empty text for what has no JSON (undefined, a function, a bigint, a cycle), so that nothing throws here. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** A value inside a text (contract 3): texts as they are, null and missing as nothing, everything else as JSON. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null ? "" : jsonText(value);
}

/**
 * JSON equality: the order of keys does not count. `isSameText` compares the texts inside, not the keys.
 * Works through a list of pairs instead of recursion, so that no depth can overflow the stack.
 */
export function deepEqual(a: unknown, b: unknown, isSameText: (a: string, b: string) => boolean = Object.is): boolean {
  const pairs: [unknown, unknown][] = [[a, b]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [left, right] = pair;
    if (typeof left === "string" && typeof right === "string") {
      if (!isSameText(left, right)) return false;
    } else if (left !== right && !pushMembers(left, right, pairs)) return false;
  }
  return true;
}

/** Adds the members of two lists or two objects of one shape to the pairs; false when the shapes differ. */
function pushMembers(a: unknown, b: unknown, pairs: [unknown, unknown][]): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    for (const [index, item] of a.entries()) pairs.push([item, b[index]]);
    return true;
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false;
    pairs.push([a[key], b[key]]);
  }
  return true;
}
