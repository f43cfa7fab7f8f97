import { readFileSync, writeFileSync } from "node:fs";
import { Script } from "node:vm";

type Span = readonly [begin: number, end: number];

/** V8 reads a cache in place only when it begins at a multiple of this. */
const alignment = 8;

/**
 * Puts chunks of the working directory, each with V8's code cache behind it, into `chunks.bin`, and where they lie into
 * `chunks.json`: `{name: {source: [begin, end], cache: [begin, end]}}`. A cache holds only under the V8 flags of the process
 * that made it: the executable and this process have none.
 */
export function packChunks(names: readonly string[]): void {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const append = (bytes: Uint8Array): Span => {
    const begin = length;
    const end = begin + bytes.length;
    const padding = new Uint8Array((alignment - (end % alignment)) % alignment);
    pieces.push(bytes, padding);
    length = end + padding.length;
    return [begin, end];
  };
  const spans: Record<string, { source: Span; cache: Span }> = {};
  for (const name of names) {
    const source = readFileSync(name);
    const script = new Script(source.toString(), { filename: name });
    spans[name] = { source: append(source), cache: append(script.createCachedData()) };
  }
  writeFileSync("chunks.bin", Buffer.concat(pieces));
  writeFileSync("chunks.json", JSON.stringify(spans));
}
