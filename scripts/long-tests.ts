// The long forms of the tests that the suite runs short: `node scripts/run.mjs node scripts/long-tests.ts [part…]`.
import { spawnSync } from "node:child_process";
import { toolPath } from "./pinned-node.mjs";

const parts: Record<string, { files: string[]; env: Record<string, string> }> = {
  fold: { files: ["test/engine/fold.property.test.ts"], env: { STEPGATE_SEEDS: "10000" } },
  kill: { files: ["test/crash/kill.test.ts"], env: { STEPGATE_KILLS: "100" } },
};

const wanted = process.argv.slice(2);
for (const [name, { files, env }] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(
    `\n${name}: ${Object.entries(env)
      .map((pair) => pair.join("="))
      .join(" ")}`,
  );
  const args = [toolPath("vitest"), "run", "--testTimeout", "3600000", ...files];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (status !== 0) process.exitCode = 1;
}
