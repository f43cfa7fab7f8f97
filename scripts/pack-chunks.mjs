// usage: node [V8 flags] pack-chunks.mjs <chunk…>: puts the chunks, each with V8's code cache behind it, into `chunks.bin`,
// and where they lie into `chunks.json`: {name: {source: [begin, end], cache: [begin, end]}}. A process of its own, for a
// cache holds only under the V8 flags of the process that made it (scripts/package.ts gives those of the executable).
import { readFileSync, writeFileSync } from "node:fs";
import { Script } from "node:vm";

/** V8 reads a cache in place only when it begins at a multiple of this. */
const alignment = 8;

const pieces = [];
let length = 0;

function append(bytes) {
  const begin = length;
  const end = begin + bytes.length;
  const padding = Buffer.alloc((alignment - (end % alignment)) % alignment);
  pieces.push(bytes, padding);
  length = end + padding.length;
  return [begin, end];
}

const index = {};
for (const name of process.argv.slice(2)) {
  const source = readFileSync(name);
  const script = new Script(source.toString(), { filename: name });
  index[name] = { source: append(source), cache: append(script.createCachedData()) };
}
writeFileSync("chunks.bin", Buffer.concat(pieces));
writeFileSync("chunks.json", JSON.stringify(index));
