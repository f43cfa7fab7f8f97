// `serve` with a daemon whose drain never ends: what a step that hangs looks like to signals.
import { runCli } from "../../src/cli/run-cli.ts";
import { wiringOf } from "../support/unused-wiring.ts";

const forever = new Promise<void>(() => setInterval(() => undefined, 60_000));

async function startDaemon() {
  setImmediate(() => process.stdout.write("ready\n"));
  const stop = async () => {
    process.stdout.write("draining\n");
    return forever;
  };
  return { url: "", port: 0, stop, stopped: forever };
}

void runCli(["serve"], wiringOf("", { startDaemon }), process);
