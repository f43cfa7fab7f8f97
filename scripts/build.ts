// Bundles the program into chunks and its worker threads into one CommonJS file each. Used by scripts/package.ts.
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform, type BuildOptions, type Metafile, type Plugin } from "esbuild";
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

const shared: BuildOptions = {
  absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
  bundle: true,
  platform: "node",
  target: "node26",
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
  // Its CommonJS form loads its own parts in a way that a bundler can't follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  plugins: [yogaAtOnce, inkWithoutDevelopment],
  logLevel: "warning",
};

/**
 * What src/packaged-main.ts gives each chunk, and the banner each worker: native modules are loaded from the disk, for
 * which better-sqlite3 looks for webpack's name of the real require.
 */
const parameters = "module, exports, require, __non_webpack_require__, importMetaUrl";

const workerBanner = `
const importMetaUrl = require("node:url").pathToFileURL(process.execPath).href;
const __non_webpack_require__ = require("node:module").createRequire(process.execPath);`;

/**
 * The chunk of a CommonJS package that is imported dynamically has nothing but a default export in esbuild's hands, while
 * Node gives its names, too (and the sources, which run unbundled, ask for them).
 */
const isCommonJsPackage = /\bexport default require_\w+\(\);\s*$/;
const namesOfDefault = `
for (const name of Object.keys(module.exports.default)) {
  if (name in module.exports) continue;
  Object.defineProperty(module.exports, name, { enumerable: true, get: () => module.exports.default[name] });
}`;

/**
 * Bundles the program into `folder`: cli.cjs, which loads the chunks, and a file for each worker thread. Returns the names
 * of the chunks, those that a daemon loads first. esbuild splits ES modules only, so each chunk becomes a CommonJS
 * function afterwards.
 */
export async function buildBundles(folder: string): Promise<string[]> {
  const workers = Object.entries(findWorkers()).map(([name, source]) =>
    bundle(source, join(folder, name), { format: "cjs", banner: { js: workerBanner } }),
  );
  const main = bundle(new URL("../src/packaged-main.ts", import.meta.url), join(folder, "cli.cjs"), { format: "cjs" });
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: { main: fileURLToPath(new URL("../src/main.ts", import.meta.url)) },
    format: "esm",
    splitting: true,
    write: false,
    metafile: true,
    outdir: folder,
    chunkNames: "[name]-[hash]",
  });
  const chunks = outputFiles.map(async ({ path, text }) => {
    const { code } = await transform(text, {
      format: "cjs",
      platform: "node",
      target: "node26",
      // Chunks ask for each other by require, which the executable answers from its assets.
      supported: { "dynamic-import": false },
      minifyWhitespace: true,
      minifySyntax: true,
    });
    // V8 would hold the whole chunk in two bytes a character. esbuild leaves them in regular expressions alone.
    if (/[^\0-\x7f]/.test(code)) throw new Error(`${path}: write the non-ASCII characters of its expressions as \\u….`);
    const names = isCommonJsPackage.test(text) ? namesOfDefault : "";
    await writeFile(path, `(function (${parameters}) {${code}${names}})`);
  });
  await Promise.all([...workers, main, ...chunks]);
  const names = new Set([...staticClosure(metafile, "src/daemon/start.ts"), ...Object.keys(metafile.outputs)]);
  return [...names].map((name) => basename(name));
}

/** The chunks that come along with an entry, without what it imports later. Side by side, they take fewer pages. */
function staticClosure({ outputs }: Metafile, entry: string): Set<string> {
  const [first] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
  if (first === undefined) throw new Error(`No chunk begins with ${entry}, which is to be imported dynamically.`);
  const closure = new Set([first]);
  for (const name of closure) {
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === "import-statement") closure.add(path);
  }
  return new Set([...closure].filter((name) => Object.hasOwn(outputs, name)));
}

async function bundle(source: URL, outfile: string, options: BuildOptions): Promise<void> {
  await build({ ...shared, ...options, entryPoints: [fileURLToPath(source)], outfile });
}

/** Sources of the worker threads by the names of their bundles, which are assets of the executable. */
export function findWorkers(): Record<string, URL> {
  const reader = new URL("../src/daemon/native/entry-points.ts", import.meta.url);
  return Object.fromEntries(Object.entries(workerSources).map(([name, path]) => [`${name}.js`, new URL(path, reader)]));
}
