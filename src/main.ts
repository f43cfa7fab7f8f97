import "./guard-node.ts";
import manifest from "../package.json" with { type: "json" };
import type { Wiring } from "./cli/wiring.ts";

const { version } = manifest;

/** Each part is loaded when it is asked for: most commands need none of the daemon. */
const wiring: Wiring = {
  version,
  resolveHome: async (env) => (await import("./daemon/home.ts")).resolveHome(env),
  startDaemon: async (options) => (await import("./daemon/start-configured.ts")).startConfigured(options),
  async databaseCare() {
    const care = await import("./daemon/database-care.ts");
    return {
      backup: care.backupDatabase,
      checkBackup: care.checkBackup,
      restore: care.restoreDatabase,
      migrate: care.migrateDatabase,
      vacuum: care.vacuumDatabase,
    };
  },
  selfCheck: async () => (await import("./daemon/self-check.ts")).selfCheck(),
  checkHome: async (home) => (await import("./daemon/check-home.ts")).checkHome(home),
  readConfiguration: async (sources) =>
    (await import("./daemon/config/read-configuration.ts")).readConfiguration(sources),
  configurationFile: async () => (await import("./daemon/config/change-user-file.ts")).configurationFile,
  workflowSchema: async () => (await import("./daemon/workflow-schema.ts")).workflowSchema(),
  checkConnector: async (request, bytes) =>
    (await import("./daemon/connectors/check-source.ts")).checkSource(request, bytes),
  readWorkflow: async (file, text) => (await import("./daemon/read-workflow.ts")).readWorkflow(file, text),
  checkFiles: async (request) => (await import("./daemon/testing/check-files.ts")).checkFiles(request),
  runTests: async (sources, onFile, signal) =>
    (await import("./daemon/testing/run-tests.ts")).runTests(sources, onFile, signal),
};

async function main(argv: readonly string[]): Promise<void> {
  const [first] = argv;
  if (first === "--version" || first === "-V") {
    process.stdout.write(`${version}\n`);
  } else if (first === "__sandbox") {
    // start-child.ts starts the packaged executable as a sandbox child this way.
    await import("./daemon/sandbox/child.ts");
  } else {
    // FORCE_COLOR goes before NO_COLOR (cli.md); Node itself would warn of the two on stderr.
    if (process.env["FORCE_COLOR"] !== undefined) delete process.env["NO_COLOR"];
    const { runCli } = await import("./cli/run-cli.ts");
    process.exitCode = await runCli(argv, wiring, process);
  }
}

// No top-level await: the bundle is CommonJS (scripts/build.ts).
void main(process.argv.slice(2));
