import { defineCommand } from "../command.ts";
import { flag, oneOf, value, wholeNumber } from "../option.ts";
import { stopOnSignal } from "../stop-on-signal.ts";

/** For what is left to be said on stderr. */
const lastWordsMs = 500;

export const serve = defineCommand({
  name: "serve",
  summary: "run the daemon in the foreground until Ctrl-C",
  options: {
    host: value("HOST", "address to listen on ($STEPGATE_HOST, else 127.0.0.1)"),
    port: value("PORT", "port to listen on, 0 for any free one ($STEPGATE_PORT, else 7717)", {
      parse: wholeNumber(0, 65_535),
    }),
    logFormat: value("FORMAT", "json or pretty: of the log, on stdout (pretty at a terminal)", {
      parse: oneOf("json", "pretty"),
    }),
    noScheduler: flag("fire no schedules: what would fire passes by, and runs go on otherwise"),
    logFile: value("FILE", "write the log to this file, five of 10 MB at most, instead of stdout"),
  },
  examples: ["serve", "serve --port 0 --log-format json", "serve --no-scheduler"],
  async action({ wiring, terminal, output, userFile }, { host, port, logFormat, noScheduler, logFile }) {
    const { env } = terminal;
    const home = await wiring.resolveHome(env);
    const stop = stopOnSignal();
    try {
      const daemon = await wiring.startDaemon({
        home,
        version: wiring.version,
        logFormat: logFormat ?? (terminal.stdout.isTTY ? "pretty" : "json"),
        logTo: "stdout",
        firesSchedules: !noScheduler,
        ...(logFile !== undefined && { logFile }),
        env,
        configFile: await userFile(),
        flags: { "server.host": host, "server.port": port },
      });
      stop.begin(daemon);
      output.note(`stepgate ${wiring.version} at ${daemon.url}, data in ${home.dataDir}; Ctrl-C stops it`);
      await daemon.stopped;
    } catch (error) {
      endSoon();
      throw error;
    } finally {
      stop.release();
    }
  },
});

/** Whoever started a daemon that failed waits for its end: a thread that is slow to go must not hold it up. */
function endSoon(): void {
  // oxlint-disable-next-line unicorn/no-process-exit -- the exit code is set by then
  setTimeout(() => process.exit(), lastWordsMs).unref();
}
