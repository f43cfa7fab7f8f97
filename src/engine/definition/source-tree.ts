import type { Json } from "../../contract/json.ts";
import { complexity, maxJsonDepth } from "../../contract/limits.ts";

/** A JSON value together with where each part of it stands in the text it was read from. */
export type SourceNode = {
  value: Json;
  /** Offset in the text, in characters. */
  at: number;
  /** About the characters of its JSON: an alias counts each time, so that no short text becomes an endless one. */
  size: number;
  /** Levels of lists and objects, itself included; 0 for a scalar. */
  height: number;
  items: readonly SourceNode[];
  members: ReadonlyMap<string, SourceMember>;
};

export type SourceMember = { keyAt: number; node: SourceNode };

/** One problem of a text, at an offset. */
export type SourceProblem = { code: string; message: string; at: number };

/** What a text was read as; `root` is null when its syntax is broken. */
export type SourceText = { root: SourceNode | null; problems: SourceProblem[] };

const noMembers: SourceNode["members"] = new Map();

/** A leaf of the tree. */
export function scalarNode(value: null | boolean | number | string, at: number): SourceNode {
  const size = 1 + (typeof value === "string" ? value.length : 0);
  return { value, at, size, height: 0, items: [], members: noMembers };
}

export function listNode(items: readonly SourceNode[], at: number): SourceNode {
  return { value: items.map((item) => item.value), at, ...measure(items), items, members: noMembers };
}

/** Members are own properties of the value in any case: `__proto__` is a key like others. */
export function objectNode(members: SourceNode["members"], at: number): SourceNode {
  const value = Object.fromEntries(Array.from(members, ([key, { node }]) => [key, node.value]));
  const { size, height } = measure(Array.from(members.values(), ({ node }) => node));
  const keys = Array.from(members.keys()).join("").length;
  return { value, at, size: size + keys, height, items: [], members };
}

function measure(parts: readonly SourceNode[]): { size: number; height: number } {
  let size = 1;
  let height = 1;
  for (const part of parts) {
    size += part.size;
    height = Math.max(height, part.height + 1);
  }
  return { size, height };
}

/** Why a value can't be part of a definition, when it is too deep, or aliases made it too big. */
export function excessOf(node: SourceNode): SourceProblem | null {
  if (node.height > maxJsonDepth) return tooDeep(node.at);
  // A text within the limit of bytes stays below this by itself.
  if (node.size <= complexity.bytes * 2) return null;
  const message = `Aliases (*name) make this larger than ${complexity.bytes / 1024} KiB; use fewer of them`;
  return { code: "too_many_aliases", message, at: node.at };
}

export function tooDeep(at: number): SourceProblem {
  return { code: "too_deep", message: `Values are nested deeper than ${maxJsonDepth} levels; flatten them`, at };
}

/**
 * Offset of what a JSON pointer's parts name: a scalar itself, else the key or list item that holds it. Where they lead
 * nowhere because something is missing: its nearest parent.
 */
export function findOffset(root: SourceNode, path: readonly string[]): number {
  let node = root;
  let offset = root.at;
  for (const part of path) {
    const member = node.members.get(part);
    const next = member?.node ?? (/^(?:0|[1-9]\d*)$/.test(part) ? node.items[Number(part)] : undefined);
    if (!next) break;
    offset = member && next.height > 0 ? member.keyAt : next.at;
    node = next;
  }
  return offset;
}
