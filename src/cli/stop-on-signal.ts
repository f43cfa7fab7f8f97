import type { RunningDaemon } from "./wiring.ts";

export type SignalStop = {
  /** Settles at the first signal. */
  asked: Promise<void>;
  /** From here on a signal drains this daemon, also one that came before. */
  begin: (daemon: RunningDaemon) => void;
  release: () => void;
};

/**
 * The first signal drains, also one that comes while the daemon starts; the second ends the process at once, in the
 * signal's own way: the next start recovers what was running. A parent that held an IPC channel and went away counts
 * as a signal.
 */
export function stopOnSignal(): SignalStop {
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
  return { asked: asked.promise, begin: (daemon) => void asked.promise.then(async () => daemon.stop()), release };
}
