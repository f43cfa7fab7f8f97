import { defineCommand } from "../command.ts";
import { oneOf, value, wholeNumber } from "../option.ts";
import type { RunningDaemon } from "../wiring.ts";

export const serve = defineCommand({
  name: "serve",
  summary: "run the daemon in the foreground until Ctrl-C",
  options: {
    host: value("HOST", "address to listen on ($STEPGATE_HOST, else 127.0.0.1)"),
    port: value("PORT", "port to listen on, 0 for any free one ($STEPGATE_PORT, else 7717)", {
      parse: wholeNumber(0, 65_535),
    }),
    logFormat: value("FORMAT", "json or pretty: of the log, on stderr (pretty at a terminal)", {
      parse: oneOf("json", "pretty"),
    }),
  },
  examples: ["serve", "serve --port 0 --log-format json"],
  async action({ wiring, terminal, output }, { host, port, logFormat }) {
    const { env } = terminal;
    const home = await wiring.resolveHome(env);
    const stop = stopOnSignal();
    try {
      const daemon = await wiring.startDaemon({
        home,
        version: wiring.version,
        logFormat: logFormat ?? (terminal.stderr.isTTY ? "pretty" : "json"),
        env,
        flags: { "server.host": host, "server.port": port },
      });
      stop.begin(daemon);
      output.note(`stepgate ${wiring.version} at ${daemon.url}, data in ${home.dataDir}; Ctrl-C stops it`);
      await daemon.stopped;
    } finally {
      stop.release();
    }
  },
});

/**
 * The first signal drains, also one that comes while the daemon starts; the second ends the process at once, in the
 * signal's own way: the next start recovers what was running. A parent that held an IPC channel and went away counts
 * as a signal.
 */
function stopOnSignal(): { begin: (daemon: RunningDaemon) => void; release: () => void } {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const asked = Promise.withResolvers<void>();
  let isStopping = false;
  const drain = () => {
    isStopping = true;
    asked.resolve();
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (!isStopping) return drain();
    release();
    process.kill(process.pid, signal);
  };
  const release = () => {
    for (const signal of signals) process.removeListener(signal, onSignal);
    process.removeListener("disconnect", drain);
    process.channel?.unref();
  };
  for (const signal of signals) process.on(signal, onSignal);
  process.on("disconnect", drain);
  return { begin: (daemon) => void asked.promise.then(async () => daemon.stop()), release };
}
