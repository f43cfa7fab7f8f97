// Bundles the program and its worker threads into one CommonJS file each. Used by scripts/package.ts.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { workerSources } from "../src/daemon/native/entry-points.ts";

/**
 * yoga-layout waits for its WebAssembly at the top level of a module, which CommonJS can't, and only a CommonJS main
 * can start from V8's code cache. Emscripten lets the caller instantiate it, so this does it at once.
 */
const yogaAtOnce: Plugin = {
  name: "yoga-at-once",
  setup({ onLoad }) {
    onLoad({ filter: /yoga-layout\/dist\/src\/index\.js$/ }, async ({ path }) => ({
      contents: `${replaceOnce(await readFile(path, "utf8"), {
        "import loadYoga from": "import loadYoga, { wasmUrl } from",
        "await loadYoga()": "loadYogaAtOnce()",
      })}
      function loadYogaAtOnce() {
        const module = {
          instantiateWasm(imports, receive) {
            const wasm = new WebAssembly.Module(Buffer.from(wasmUrl.slice(wasmUrl.indexOf(",") + 1), "base64"));
            receive(new WebAssembly.Instance(wasm, imports));
            return {};
          },
        };
        loadYoga(module);
        return module;
      }`,
    }));
    onLoad({ filter: /yoga-layout\/dist\/binaries\/yoga-wasm-base64-esm\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const url = /"data:application\/octet-stream;base64,[A-Za-z0-9+/=]+"/.exec(source)?.[0];
      if (!url) throw new Error(`${path} holds its WebAssembly in another form; adapt yoga-at-once.`);
      return { contents: `export const wasmUrl = ${url};\n${replaceOnce(source, { [url]: "wasmUrl" })}` };
    });
  },
};

/** Throws when a text is not there exactly once, so that an upgrade of the patched package can't pass unseen. */
function replaceOnce(source: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((text, [search, replacement]) => {
    const parts = text.split(search);
    if (parts.length !== 2) throw new Error(`Expected once in the source, found ${parts.length - 1} times: ${search}`);
    return parts.join(replacement);
  }, source);
}

/** Makes ink's `process` the global one, so that `define` reaches it and its development mode, with its awaits, goes. */
const inkWithoutDevelopment: Plugin = {
  name: "ink-without-development",
  setup({ onLoad }) {
    onLoad({ filter: /ink\/build\/reconciler\.js$/ }, async ({ path }) => ({
      contents: replaceOnce(await readFile(path, "utf8"), { "import process from 'node:process';": "" }),
    }));
  },
};

/** Native modules are loaded from the disk, for which better-sqlite3 looks for webpack's name of the real require. */
const banner = `
const importMetaUrl = require("node:url").pathToFileURL(process.execPath).href;
const __non_webpack_require__ = require("node:module").createRequire(process.execPath);`;

const shared: BuildOptions = {
  bundle: true,
  platform: "node",
  target: "node26",
  format: "cjs",
  jsx: "automatic",
  // Names stay as they are: stack traces can be read, and neither size nor start would gain (measured).
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  define: {
    "process.env.NODE_ENV": '"production"',
    "process.env.DEV": '"false"',
    "import.meta.url": "importMetaUrl",
  },
  banner: { js: banner },
  // Its CommonJS form loads its own parts in a way that a bundler can't follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  plugins: [yogaAtOnce, inkWithoutDevelopment],
  logLevel: "warning",
};

/** Bundles the program and its workers into `folder`, as cli.cjs and one file with each worker's name. */
export async function buildBundles(folder: string): Promise<void> {
  const entries = { "cli.cjs": new URL("../src/main.ts", import.meta.url), ...findWorkers() };
  await Promise.all(
    Object.entries(entries).map(([name, source]) =>
      build({ ...shared, entryPoints: [fileURLToPath(source)], outfile: join(folder, name) }),
    ),
  );
}

/** Sources of the worker threads by the names of their bundles, which are assets of the executable. */
export function findWorkers(): Record<string, URL> {
  const reader = new URL("../src/daemon/native/entry-points.ts", import.meta.url);
  return Object.fromEntries(Object.entries(workerSources).map(([name, path]) => [`${name}.js`, new URL(path, reader)]));
}
