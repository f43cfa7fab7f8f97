import { CliError, reasonOf } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { oneOf, value, wholeNumber } from "../option.ts";
import type { RunningDaemon } from "../wiring.ts";

const defaultHost = "127.0.0.1";
const defaultPort = 7717;
const readPort = wholeNumber(0, 65_535);

export const serve = defineCommand({
  name: "serve",
  summary: "run the daemon in the foreground until Ctrl-C",
  options: {
    host: value("HOST", `address to listen on ($STEPGATE_HOST, else ${defaultHost})`),
    port: value("PORT", `port to listen on, 0 for any free one ($STEPGATE_PORT, else ${defaultPort})`, {
      parse: readPort,
    }),
    logFormat: value("FORMAT", "json or pretty (pretty at a terminal)", { parse: oneOf("json", "pretty") }),
  },
  examples: ["serve", "serve --port 0 --log-format json"],
  async action({ wiring, terminal, output }, { host, port, logFormat }) {
    const { env } = terminal;
    const home = await wiring.resolveHome(env);
    const daemon = await wiring.startDaemon({
      home,
      host: host ?? env["STEPGATE_HOST"] ?? defaultHost,
      port: port ?? readPortVariable(env["STEPGATE_PORT"]) ?? defaultPort,
      version: wiring.version,
      logFormat: logFormat ?? (output.isTerminal ? "pretty" : "json"),
    });
    const release = stopOnSignal(daemon);
    output.note(`stepgate ${wiring.version} at ${daemon.url}, data in ${home.dataDir}; Ctrl-C stops it`);
    await daemon.stopped;
    release();
  },
});

function readPortVariable(text: string | undefined): number | undefined {
  if (!text) return undefined;
  try {
    return readPort(text);
  } catch (error) {
    throw new CliError("usage", `STEPGATE_PORT ${reasonOf(error)}.`);
  }
}

/**
 * The first signal drains, the second ends the process at once, in the signal's own way: the next start recovers what
 * was running. A parent that holds an IPC channel and goes away counts as a signal.
 */
function stopOnSignal(daemon: RunningDaemon): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const release = () => {
    for (const signal of signals) process.removeListener(signal, onSignal);
    process.removeListener("disconnect", onDisconnect);
    process.channel?.unref();
  };
  let isStopping = false;
  const drain = () => {
    isStopping = true;
    void daemon.stop();
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (!isStopping) return drain();
    release();
    process.kill(process.pid, signal);
  };
  const onDisconnect = () => drain();
  for (const signal of signals) process.on(signal, onSignal);
  process.on("disconnect", onDisconnect);
  return release;
}
