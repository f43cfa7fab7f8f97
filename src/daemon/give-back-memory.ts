import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How often the daemon looks whether it rests, and how long after its start for the first time. Milliseconds. */
const everyMs = 5_000;
const firstAfterMs = 1_000;

/** The share of its time below which a daemon rests, and above which it has made something worth collecting. */
const quietShare = 0.05;

type Means = {
  /** The share of the time since the last call in which the event loop was at work, from 0 to 1. */
  busyShare: () => number;
  collect: () => void;
};

/**
 * Gives memory back to the system once the daemon has come to rest, after its start and after each time of work: V8 keeps
 * what a burst needed, tens of megabytes, until the next one. A collection takes some 20 ms, at a moment when nobody waits.
 * Returns what ends it.
 */
export function giveBackMemory(
  { busyShare, collect }: Means = { busyShare: watchLoop(), collect: loadCollect() },
): () => void {
  let hasWorked = true;
  const look = () => {
    const isQuiet = busyShare() < quietShare;
    if (isQuiet && hasWorked) {
      collect();
      // What the collection itself took is no work.
      busyShare();
    }
    hasWorked = !isQuiet;
    timer = setTimeout(look, everyMs).unref();
  };
  let timer = setTimeout(look, firstAfterMs).unref();
  return () => clearTimeout(timer);
}

function watchLoop(): () => number {
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** V8 has no other way to be asked; the flag is off again before anything else could see `gc`. */
function loadCollect(): () => void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as NodeJS.GCFunction;
  setFlagsFromString("--no-expose-gc");
  return () => gc({ execution: "sync", type: "major", flavor: "last-resort" });
}
