import { posix } from "node:path";

/** What a file of each folder may import besides its own folder (design 1): folders, single files, or a rule. */
export const layers: Record<string, readonly string[]> = {
  contract: [],
  store: ["contract"],
  engine: ["contract", "store/store.ts"],
  nodes: ["contract", "pure engine"],
  connectors: ["contract", "pure engine"],
  daemon: ["contract", "store", "engine", "nodes", "connectors"],
  cli: ["contract"],
  "guard-node.ts": ["daemon/native/node-abi.ts"],
  "packaged-main.ts": ["daemon/native/sea.ts"],
  "main.ts": ["guard-node.ts", "cli", "daemon", "../package.json"],
};

/** Sources by their path below src/. */
export type Sources = Readonly<Record<string, string>>;

/** `from "./x.ts"`, `import "./x.ts"`, `import("./x.ts")`; type imports too, for they couple the files just the same. */
const relativeImport = /\b(?:from|import)\s*\(?\s*["'](?<target>\.{1,2}\/[^"']+)["']/g;

function importsOf(path: string, source: string): string[] {
  const targets = source.matchAll(relativeImport).map((match) => match.groups?.["target"] ?? "");
  return [...targets].map((target) => posix.join(posix.dirname(path), target));
}

/** First segment of a path: the folder, or the file itself when it lies in src/. */
function layerOf(path: string): string {
  return path.startsWith("../") ? path : (path.split("/", 1)[0] ?? path);
}

/** Engine files that reach nothing of the store, on no path through other engine files. */
function findPureEngineFiles(edges: ReadonlyMap<string, readonly string[]>): Set<string> {
  const pure = new Set([...edges.keys()].filter((path) => layerOf(path) === "engine"));
  const isTainted = (path: string): boolean =>
    (edges.get(path) ?? []).some((to) => layerOf(to) === "store" || (layerOf(to) === "engine" && !pure.has(to)));
  let before;
  do {
    before = pure.size;
    for (const path of pure) if (isTainted(path)) pure.delete(path);
  } while (pure.size < before);
  return pure;
}

/**
 * Every import against the direction of the layers, as `nodes/a.ts → store/store.ts: nodes may not import store`.
 * Tests (*.test.ts) may import anything and are left out.
 */
export function findWrongImports(sources: Sources): string[] {
  const files = Object.entries(sources).filter(([path]) => !/\.test\.tsx?$/.test(path));
  const edges = new Map(files.map(([path, source]) => [path, importsOf(path, source)]));
  const pureEngine = findPureEngineFiles(edges);
  const isAllowed = (from: string, to: string): boolean => {
    const own = layerOf(from);
    const rules = layers[own] ?? [];
    const isPure = rules.includes("pure engine") && pureEngine.has(to);
    return isPure || [own, ...rules].some((rule) => rule === to || rule === layerOf(to));
  };
  return [...edges].flatMap(([from, targets]) =>
    targets
      .filter((to) => !isAllowed(from, to))
      .map((to) => `${from} → ${to}: ${layerOf(from)} may not import ${layerOf(to)}`),
  );
}
