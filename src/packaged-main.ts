import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { readAsset } from "./daemon/native/sea.ts";

// The executable's own main. The program lies in it as chunks (scripts/build.ts), each with V8's code cache behind it, and
// a chunk is read when something of it is first asked for: `--version` costs what a bare Node costs, and a daemon holds
// neither the command line nor the terminal UI in its memory.

type Span = readonly [begin: number, end: number];
type Chunk = { exports: unknown };

const bytes = readAsset("chunks.bin");
/** Written by scripts/pack-chunks.ts. */
const spans = new Map(
  Object.entries(JSON.parse(textOf(readAsset("chunks.json"))) as Record<string, { source: Span; cache: Span }>),
);
const chunks = new Map<string, Chunk>();
const requireOutside = createRequire(process.execPath);
const importMetaUrl = pathToFileURL(process.execPath).href;

/** What a chunk gets in place of Node's `require`: other chunks have names that begin with "./". */
function requireChunk(request: string): unknown {
  if (!request.startsWith("./")) return requireOutside(request);
  const name = request.slice(2);
  const known = chunks.get(name);
  if (known) return known.exports;
  const span = spans.get(name);
  if (!span) throw new Error(`The executable is incomplete: it has no ${name}`);
  const chunk: Chunk = { exports: {} };
  chunks.set(name, chunk);
  const script = new Script(textOf(bytes.subarray(...span.source)), {
    filename: name,
    cachedData: bytes.subarray(...span.cache),
  });
  const run = script.runInThisContext() as (...parameters: unknown[]) => void;
  run(chunk, chunk.exports, requireChunk, requireOutside, importMetaUrl);
  return chunk.exports;
}

function textOf(utf8: Uint8Array): string {
  return new TextDecoder().decode(utf8);
}

requireChunk("./main.js");
