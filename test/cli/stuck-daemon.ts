// `serve` with a daemon whose drain never ends: what a step that hangs looks like to signals.
import { runCli } from "../../src/cli/run-cli.ts";

const forever = new Promise<void>(() => setInterval(() => undefined, 60_000));
const unused = async () => Promise.reject(new Error("Not needed to serve"));
const paths = {
  dataDir: "",
  configDir: "",
  stateDir: "",
  cacheDir: "",
  runDir: "",
  database: "",
  masterKey: "",
  socket: "",
  lock: "",
};

void runCli(
  ["serve"],
  {
    version: "0.0.0",
    resolveHome: async () => ({ ...paths, daemonFile: "", logFile: "" }),
    selfCheck: unused,
    databaseCare: unused,
    checkHome: unused,
    readConfiguration: unused,
    configurationFile: unused,
    workflowSchema: unused,
    readWorkflow: unused,
    checkFiles: unused,
    runTests: unused,
    checkConnector: unused,
    async startDaemon() {
      setImmediate(() => process.stdout.write("ready\n"));
      const stop = async () => {
        process.stdout.write("draining\n");
        return forever;
      };
      return { url: "", port: 0, stop, stopped: forever };
    },
  },
  process,
);
