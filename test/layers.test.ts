import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findWrongImports, layers, type Sources } from "./support/layers.ts";

function readSources(): Sources {
  const src = fileURLToPath(new URL("../src/", import.meta.url));
  const paths = globSync("**/*.{ts,tsx}", { cwd: src });
  return Object.fromEntries(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(src + path, "utf8")]));
}

const store = { "store/store.ts": `import type { Run } from "../contract/run.ts";`, "contract/run.ts": "" };

const wrong: [name: string, sources: Sources, message: string][] = [
  [
    "a static import",
    { ...store, "nodes/wait.ts": `import { Store } from "../store/store.ts";` },
    "nodes/wait.ts → store/store.ts: nodes may not import store",
  ],
  [
    "a type import",
    { ...store, "contract/action.ts": `import type { Store } from "../store/store.ts";` },
    "contract/action.ts → store/store.ts: contract may not import store",
  ],
  [
    "a dynamic import over two lines",
    { "cli/commands/serve.ts": `await import(\n  "../../daemon/start.ts"\n);`, "daemon/start.ts": "" },
    "cli/commands/serve.ts → daemon/start.ts: cli may not import daemon",
  ],
  [
    "an export from",
    { "store/store.ts": `export { fold } from "../engine/fold.ts";`, "engine/fold.ts": "" },
    "store/store.ts → engine/fold.ts: store may not import engine",
  ],
  [
    "an adapter of the store in the engine",
    { ...store, "engine/a.ts": `import "../store/sqlite/open.ts";`, "store/sqlite/open.ts": "" },
    "engine/a.ts → store/sqlite/open.ts: engine may not import store",
  ],
  [
    "an engine file that reaches the store through another one",
    {
      ...store,
      "nodes/wait.ts": `import { a } from "../engine/a.ts";`,
      "engine/a.ts": `import { b } from "./b.ts";`,
      "engine/b.ts": `import type { Store } from "../store/store.ts";`,
    },
    "nodes/wait.ts → engine/a.ts: nodes may not import engine",
  ],
  [
    "a file outside src",
    { "engine/a.ts": `import { clock } from "../../test/support/clock.ts";` },
    "engine/a.ts → ../test/support/clock.ts: engine may not import ../test/support/clock.ts",
  ],
];

it.each(wrong)("a wrong edge is reported: %s", (_, sources, message) => {
  expect(findWrongImports(sources)).toEqual([message]);
});

it("pure engine files are open to nodes, also where they import each other in a circle; tests may import anything", () => {
  const sources = {
    ...store,
    "nodes/wait.ts": `import { a } from "../engine/a.ts";`,
    "nodes/wait.test.ts": `import { open } from "../store/sqlite/open.ts";`,
    "engine/a.ts": `import { b } from "./b.ts";`,
    "engine/b.ts": `import { a } from "./a.ts"; import type { Run } from "../contract/run.ts";`,
  };
  expect(findWrongImports(sources)).toEqual([]);
});

it("every file of src belongs to a layer and imports in its direction alone", () => {
  const sources = readSources();
  const folders = new Set(Object.keys(sources).map((path) => path.split("/", 1)[0]));
  expect([...folders].filter((folder) => !layers[folder ?? ""])).toEqual([]);
  expect(findWrongImports(sources)).toEqual([]);
});
