import type { Json } from "../values/json.ts";
import { redactText, type Tally } from "./redact-text.ts";

export type RedactOptions = {
  /** Values of connections' secret fields: each becomes `[REDACTED_TOKEN]` (contract 15). */
  secrets?: readonly string[];
  /** Values of `{{secret.NAME}}`: each becomes `[REDACTED]` (contract 3). */
  workspaceSecrets?: readonly string[];
};

/** Levels below the payload that are kept; what lies deeper becomes `[TRUNCATED]`. */
const maxDepth = 10;
const truncated = "[TRUNCATED]";

/** Shorter secrets are left: replacing every `a` or `42` would ruin payloads and hide nothing. */
const minSecretLength = 4;

/** One known secret in one of the forms in which it can turn up. */
type Secret = { form: string; replacement: string };

/**
 * Redacts a payload before it is persisted (spec 2.9, contract 15): text values only, never keys, numbers or booleans.
 * `count` is the number of replacements; with none, `value` is the very payload that came in.
 */
export function redact(value: Json, options: RedactOptions = {}): { value: Json; count: number } {
  const secrets = listSecrets(options);
  const tally = { count: 0 };
  const redactLeaf = (text: string) =>
    redactText(replaceSecrets(text, secrets, tally), tally, () => "[REDACTED_TOKEN]");
  return { value: redactNode(value, 0, tally, redactLeaf), count: tally.count };
}

/** Redacts a line of a log: as in payloads, but the service's own keys keep their public prefix (`sgt_x9Qf…`, contract 15). */
export function redactLogText(text: string, options: RedactOptions = {}): string {
  const tally = { count: 0 };
  return redactText(replaceSecrets(text, listSecrets(options), tally), tally, (key) => `${key.slice(0, 8)}…`);
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

/** Longest first, so that a secret inside another one leaves no rest of it. */
function listSecrets({ secrets = [], workspaceSecrets = [] }: RedactOptions): Secret[] {
  const known = [
    ...secrets.map((secret) => ({ secret, replacement: "[REDACTED_TOKEN]" })),
    ...workspaceSecrets.map((secret) => ({ secret, replacement: "[REDACTED]" })),
  ];
  return known
    .filter(({ secret }) => secret.length >= minSecretLength)
    .flatMap(({ secret, replacement }) => listForms(secret).map((form) => ({ form, replacement })))
    .toSorted((a, b) => b.form.length - a.form.length);
}

/** A secret as it is, inside JSON text, and inside a URL. */
function listForms(secret: string): string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())])];
}

function replaceSecrets(text: string, secrets: readonly Secret[], tally: Tally): string {
  let result = text;
  for (const { form, replacement } of secrets) {
    if (!result.includes(form)) continue;
    const pieces = result.split(form);
    tally.count += pieces.length - 1;
    result = pieces.join(replacement);
  }
  return result;
}
