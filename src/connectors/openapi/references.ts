import { isRecord } from "../../engine/values/json.ts";
import { pointerParts } from "../../engine/values/json-pointer.ts";

export type Part = { readonly [key: string]: unknown };

/** References of an API description; those to other documents are never followed. */
export type References = {
  /** What a reference names; null for what is missing, or lies in another document. */
  find(ref: string): unknown;
  /** A part itself, or what its chain of references leads to; null when it leads nowhere. */
  follow(part: unknown): Part | null;
};

const maxChain = 20;

export function createReferences(document: Part): References {
  function find(ref: string): unknown {
    if (!ref.startsWith("#")) return null;
    let at: unknown = document;
    for (const part of pointerParts(decode(ref.slice(1)))) {
      if (Array.isArray(at)) at = /^\d+$/.test(part) ? at[Number(part)] : undefined;
      else at = isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined;
    }
    return at ?? null;
  }
  return {
    find,
    follow(part) {
      let at = part;
      for (let steps = 0; steps < maxChain; steps += 1) {
        if (!isRecord(at)) return null;
        const ref = at["$ref"];
        if (typeof ref !== "string") return at;
        at = find(ref);
      }
      return null;
    },
  };
}

/** References are fragments of a URI, in which odd letters may be percent-encoded. */
function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** A member that is an object; an empty one where it is none. */
export function recordOf(part: unknown, key: string): Part {
  const value = isRecord(part) && Object.hasOwn(part, key) ? part[key] : null;
  return isRecord(value) ? value : {};
}

export function listOf(part: unknown, key: string): readonly unknown[] {
  const value = isRecord(part) && Object.hasOwn(part, key) ? part[key] : null;
  return Array.isArray(value) ? value : [];
}

/** A member that is text; empty where it is none. */
export function textOf(part: unknown, key: string): string {
  const value = isRecord(part) && Object.hasOwn(part, key) ? part[key] : null;
  return typeof value === "string" ? value : "";
}

/** Text of at most `max` characters, in one paragraph's worth. */
export function cutText(text: string, max: number): string {
  const trimmed = text.trim();
  return trimmed.length <= max ? trimmed : `${trimmed.slice(0, max - 1).trimEnd()}…`;
}
