import type { Wiring } from "../../src/cli/wiring.ts";

const unused = async () => Promise.reject(new Error("This test has no use for that part of the wiring"));
const paths = {
  dataDir: "",
  configDir: "",
  stateDir: "",
  cacheDir: "",
  runDir: "",
  database: "",
  masterKey: "",
  lock: "",
  daemonFile: "",
  logFile: "",
};

/** What `main.ts` hands to the command line, without the parts that are not given. */
export function wiringOf(socket: string, parts: Partial<Wiring> = {}): Wiring {
  return {
    version: "0.0.0",
    resolveHome: async () => ({ ...paths, socket }),
    startDaemon: unused,
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
    ...parts,
  };
}
