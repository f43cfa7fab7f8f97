import type { Json } from "../values/json.ts";
import { type KnownSecrets, replaceSecrets } from "./known-secrets.ts";
import { redactText, type Tally } from "./redact-text.ts";

/** Levels below the payload that are kept; what lies deeper becomes `[TRUNCATED]`. */
const maxDepth = 10;
const truncated = "[TRUNCATED]";

/**
 * Redacts a payload before it is persisted (spec 2.9, contract 15): text values only, never keys, numbers or booleans.
 * `known` are the secrets of its workspace. `count` is the number of replacements; with none, `value` is the very payload
 * that came in.
 */
export function redact(value: Json, known: KnownSecrets | null = null): { value: Json; count: number } {
  const tally = { count: 0 };
  const redactLeaf = (text: string) => redactText(hideKnown(text, known, tally), tally, () => "[REDACTED_TOKEN]");
  return { value: redactNode(value, 0, tally, redactLeaf), count: tally.count };
}

/** Redacts a line of a log: as in payloads, but the service's own keys keep their public prefix (`sgt_x9Qf…`, contract 15). */
export function redactLogText(text: string, known: KnownSecrets | null = null): string {
  const tally = { count: 0 };
  return redactText(hideKnown(text, known, tally), tally, (key) => `${key.slice(0, 8)}…`);
}

function hideKnown(text: string, known: KnownSecrets | null, tally: Tally): string {
  return known === null ? text : replaceSecrets(text, known, (count) => (tally.count += count));
}

/** Copies a list or an object at the first change below it, so that an untouched payload costs no memory. */
function redactNode(node: Json, depth: number, tally: Tally, redactLeaf: (text: string) => string): Json {
  if (depth > maxDepth) {
    if (node !== truncated) tally.count++;
    return truncated;
  }
  if (typeof node === "string") return redactLeaf(node);
  if (typeof node !== "object" || node === null) return node;
  return Array.isArray(node)
    ? redactList(node, depth, tally, redactLeaf)
    : redactObject(node, depth, tally, redactLeaf);
}

function redactList(list: Json[], depth: number, tally: Tally, redactLeaf: (text: string) => string): Json[] {
  let copy: Json[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    const redacted = redactNode(item, depth + 1, tally, redactLeaf);
    if (redacted === item) continue;
    copy ??= [...list];
    copy[index] = redacted;
  }
  return copy ?? list;
}

function redactObject(
  object: { [key: string]: Json },
  depth: number,
  tally: Tally,
  redactLeaf: (text: string) => string,
): { [key: string]: Json } {
  let copy: { [key: string]: Json } | undefined;
  for (const key of Object.keys(object)) {
    const member = object[key] ?? null;
    const redacted = redactNode(member, depth + 1, tally, redactLeaf);
    if (redacted === member) continue;
    // A key named __proto__ is an own one of the copy too, so that assignment reaches no prototype.
    copy ??= { ...object };
    copy[key] = redacted;
  }
  return copy ?? object;
}
