import { writeSync } from "node:fs";
import { createSampleRun, publishSample, range, sampleClaim, sampleEvent } from "../suite/samples.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/**
 * A process that writes runs and tells of each what was acknowledged, one line each, until it is killed or has written
 * as many as it was asked for; a write that fails ends it in order. Arguments: file, number of runs.
 */

function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

async function writeRun(store: Store, place: Awaited<ReturnType<typeof publishSample>>): Promise<void> {
  const run = await createSampleRun(store, place, { input: "x".repeat(500) });
  tell(`created ${run.id}`);
  const events = range(4).map(() => sampleEvent({ outputData: "y".repeat(100) }));
  const isDone = await store.commitRun(sampleClaim(run, { events, status: "succeeded" }));
  if (isDone) tell(`finished ${run.id}`);
}

async function writeRuns(store: Store, count: number): Promise<void> {
  const place = await publishSample(store);
  while (store.stats().writes < count * 2) await Promise.all(range(5).map(() => writeRun(store, place)));
}

const [file = "", count = "0"] = process.argv.slice(2);
const store = await openSqliteStore({ file, writer: "thread" });
try {
  await writeRuns(store, Number(count));
} catch (error) {
  tell(`failed ${String(error)}`);
  await writeRuns(store, Infinity).catch((later: unknown) => tell(`failed ${String(later)}`));
}
await store.close();
tell("closed");
