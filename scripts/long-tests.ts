// The seeded tests in their long form: 10,000 seeds where the suite takes 500. STEPGATE_SEEDS sets another number.
// Each script that attacks the sandbox, 20 times (STEPGATE_PAYLOADS). Daemons are killed 10 times (STEPGATE_KILLS).
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const long = [
  "test/memory/simulation.test.ts",
  "test/engine/fold.property.test.ts",
  "test/sandbox/payloads.test.ts",
  "test/crash/kill.test.ts",
  "test/crash/decide.test.ts",
];
const run = fileURLToPath(new URL("./run.mjs", import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [run, "vitest", "run", "--testTimeout", "3600000", "--no-file-parallelism", ...long],
  { stdio: "inherit", env: { STEPGATE_SEEDS: "10000", STEPGATE_PAYLOADS: "20", STEPGATE_KILLS: "10", ...process.env } },
);
process.exitCode = status ?? 1;
