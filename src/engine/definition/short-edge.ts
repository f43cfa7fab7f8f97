import { isRecord } from "../values/json.ts";

type EdgeEnds = { source: string; target: string; sourceHandle: string; targetHandle: string };

/** Node ids hold no dot, so a handle is all that follows the first one; ids may hold `-`, hence the lazy match. */
const pattern = /^\s*([^\s.>]+?)(?:\.(\S+?))?\s*->\s*([^\s.>]+?)(?:\.(\S+?))?\s*$/;

/** Reads the short form `source[.sourceHandle] -> target[.targetHandle]` (contract 2); null when it is none. */
export function readShortEdge(text: string): EdgeEnds | null {
  const [, source, sourceHandle = "default", target, targetHandle = "default"] = pattern.exec(text) ?? [];
  return source === undefined || target === undefined ? null : { source, target, sourceHandle, targetHandle };
}

/** Gives edges without an id the free ones of `e1`, `e2`, … in their order. What is no object stays as it is. */
export function nameEdges(edges: readonly unknown[]): unknown[] {
  const taken = new Set(edges.map((edge) => (isRecord(edge) ? edge["id"] : undefined)));
  let number = 0;
  return edges.map((edge) => {
    if (!isRecord(edge) || Object.hasOwn(edge, "id")) return edge;
    do number += 1;
    while (taken.has(`e${number}`));
    return { id: `e${number}`, ...edge };
  });
}
