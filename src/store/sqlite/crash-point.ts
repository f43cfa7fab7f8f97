/** Places at which a test can stop the process dead or slow it down, in the order in which a write passes them. */
export const crashPoints = [
  "migration.before-commit",
  /** The transaction is open, nothing is written. */
  "batch.begin",
  /** One operation is applied. */
  "operation.after",
  "commit.before",
  /** Durable, and nobody knows. */
  "commit.after",
  /** The calling thread knows, its callers do not. */
  "settle.before",
  "checkpoint.before",
] as const;
export type CrashPoint = (typeof crashPoints)[number];

/**
 * Marks a crash point. Does nothing unless the environment's STEPGATE_CRASH_POINT names it: `name[:n]` kills the process
 * (SIGKILL) at the n-th passage, `name=ms` blocks the thread that long at every passage, like a slow disk.
 */
export const crashPoint: (name: CrashPoint) => void = readSetting(process.env["STEPGATE_CRASH_POINT"]);

function readSetting(setting: string | undefined): (name: CrashPoint) => void {
  if (!setting) return () => undefined;
  const match = /^([a-z.-]+)(?:([:=])(\d+))?$/.exec(setting);
  const point = crashPoints.find((name) => name === match?.[1]);
  if (!match || !point) {
    throw new Error(
      `STEPGATE_CRASH_POINT=${setting} must be NAME, NAME:N or NAME=MS, with NAME of ${crashPoints.join(", ")}`,
    );
  }
  const number = Number(match[3] ?? 1);
  return match[2] === "=" ? delayAt(point, number) : killAt(point, number);
}

function killAt(point: CrashPoint, passage: number): (name: CrashPoint) => void {
  let passages = 0;
  return (name) => {
    if (name !== point) return;
    passages += 1;
    if (passages === passage) process.kill(process.pid, "SIGKILL");
  };
}

function delayAt(point: CrashPoint, ms: number): (name: CrashPoint) => void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  return (name) => {
    if (name === point) Atomics.wait(never, 0, 0, ms);
  };
}
