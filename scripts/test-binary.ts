// The tests that speak to Stepgate from outside, against the executable in place of the sources: the command line, daemons
// that are killed, scripts in the sandbox, MCP over stdio. test/binary.test.ts is the short form, in every `npm test`.
// `node scripts/test-binary.ts [vitest arguments]`; STEPGATE_BIN names another executable than a fresh dist/stepgate.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const fromOutside = [
  "test/cli/background.test.ts",
  "test/cli/backup-files.test.ts",
  "test/cli/breakers.test.ts",
  "test/cli/bulk.test.ts",
  "test/cli/ci-recipe.test.ts",
  "test/cli/connections.test.ts",
  "test/cli/db.test.ts",
  "test/cli/dev.test.ts",
  "test/cli/doctor.test.ts",
  "test/cli/every-exit-code.test.ts",
  "test/cli/exit-codes.test.ts",
  "test/cli/first-start.test.ts",
  "test/cli/json.test.ts",
  "test/cli/pipes.test.ts",
  "test/cli/replay.test.ts",
  "test/cli/run-commands.test.ts",
  "test/cli/serve.test.ts",
  "test/cli/sign-in.test.ts",
  "test/cli/test-command.test.ts",
  "test/cli/ui/terminal.test.ts",
  "test/cli/wait.test.ts",
  "test/cli/workflow-commands.test.ts",
  "test/connectors/commands.test.ts",
  "test/connectors/files.test.ts",
  "test/connectors/large.test.ts",
  "test/crash/calls.test.ts",
  "test/crash/decide.test.ts",
  "test/crash/kill.test.ts",
  "test/crash/points.test.ts",
  "test/crash/polling.test.ts",
  "test/crash/rate.test.ts",
  "test/crash/webhooks.test.ts",
  "test/daemon/broken-disk.test.ts",
  "test/container.test.ts",
  "test/daemon/canaries.test.ts",
  "test/daemon/drain.test.ts",
  "test/mcp/inspector.test.ts",
  "test/mcp/install.test.ts",
  "test/mcp/stdio.test.ts",
  "test/sandbox/logs.test.ts",
  "test/sandbox/payloads.test.ts",
  "test/triggers/commands.test.ts",
  "test/workflows.test.ts",
];

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
}

const given = process.env["STEPGATE_BIN"];
if (given === undefined) run([path("./package.ts")]);
const chosen = process.argv.slice(2);
run([path("./run.mjs"), "vitest", "run", "--no-file-parallelism", ...(chosen.length > 0 ? chosen : fromOutside)], {
  ...process.env,
  STEPGATE_BIN: given ?? path("../dist/stepgate"),
});
