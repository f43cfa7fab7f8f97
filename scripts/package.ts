// npm run package: one executable, dist/stepgate, from the pinned Node, the bundle and the native modules.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync } from "node:zlib";
import { buildBundles, findWorkers } from "./build.ts";
import { packChunks } from "./pack-chunks.ts";

const require = createRequire(import.meta.url);
const platform = `${process.platform}-${process.arch}`;
const executable = process.platform === "win32" ? "stepgate.exe" : "stepgate";
const dist = fileURLToPath(new URL("../dist", import.meta.url));

/**
 * Packs the prebuilt native modules under the names that src/daemon/native/sea.ts asks for, compressed, for only the first
 * start unpacks them, and with their hashes, by which the others know the unpacked file. Returns the files' names.
 */
function packAddons(): string[] {
  return Object.entries(findAddons()).flatMap(([name, file]) => {
    const bytes = readFileSync(file);
    writeFileSync(`${name}.zst`, zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }));
    writeFileSync(`${name}.sha256`, createHash("sha256").update(bytes).digest("hex"));
    return [`${name}.zst`, `${name}.sha256`];
  });
}

/** Prebuilt native modules of this platform by their names in the executable. */
function findAddons(): Record<string, string> {
  const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`));
  const libc = process.platform === "linux" ? ".glibc" : "";
  const isolatedVm = `isolated-vm.abi${process.versions.modules}${libc}.node`;
  return {
    "better_sqlite3.node": join(folderOf("better-sqlite3"), "prebuilds", `${platform}.node`),
    "isolated_vm.node": join(folderOf("isolated-vm"), "prebuilds", platform, isolatedVm),
  };
}

function run(command: string, args: readonly string[]): void {
  const { error, status, stderr, stdout } = spawnSync(command, args, { encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${basename(command)} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}

/** Copies this Node without its symbols, a fifth of its size. Says so when the machine has no `strip`. */
function copyNode(): string {
  const copy = "node";
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  if (process.platform !== "linux") return copy;
  const { error } = spawnSync("strip", ["--version"]);
  if (error) process.stdout.write("`strip` (binutils) is not installed: the executable keeps Node's symbols, 33 MB.\n");
  else run("strip", ["--strip-all", copy]);
  return copy;
}

/** Builds the executable in the working directory. */
async function buildExecutable(): Promise<void> {
  const chunks = await buildBundles(process.cwd());
  packChunks(chunks);
  const files = [...packAddons(), ...Object.keys(findWorkers()), "chunks.bin", "chunks.json"];
  const config = {
    main: "cli.cjs",
    mainFormat: "commonjs",
    executable: copyNode(),
    output: executable,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // A flag for one child only (the sandbox) is given as --node-options=…; NODE_OPTIONS of the environment is ignored.
    execArgvExtension: "cli",
    assets: Object.fromEntries(files.map((name) => [name, name])),
  };
  writeFileSync("sea.json", JSON.stringify(config));
  run(process.execPath, ["--build-sea", "sea.json"]);
  // macOS starts signed code only, and putting the bundle in has made Node's own signature invalid.
  if (process.platform === "darwin") run("codesign", ["--force", "--sign", "-", executable]);
}

const startedAt = performance.now();
mkdirSync(dist, { recursive: true });
// A folder of its own, moved from at the end: an older executable may be running, or another build.
const folder = mkdtempSync(join(dist, "build-"));
try {
  process.chdir(folder);
  await buildExecutable();
  // A copy: the system keeps what was just built in larger pieces of memory, which count as the daemon's (Linux; +35 MB).
  copyFileSync(executable, "copy");
  renameSync("copy", join(dist, executable));
} finally {
  process.chdir(dist);
  rmSync(folder, { recursive: true });
}
const megabytes = (statSync(executable).size / 1e6).toFixed(1);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
process.stdout.write(`dist/${executable}: ${megabytes} MB in ${seconds} s\n`);
