import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { publishSample } from "../../src/store/suite/samples.ts";
import { simulateHistory } from "../support/simulate-history.ts";

/** 500 in the suite; scripts/long-tests.ts lives 10,000. STEPGATE_SEED=N repeats the history of one. */
const count = Number(process.env["STEPGATE_SEEDS"] ?? 500);
const one = process.env["STEPGATE_SEED"];
const first = Number(one ?? 1);
const last = one ? first : first + count - 1;

test(
  "no history of crashes, zombies and failing systems breaks a promise of the engine",
  { timeout: 3_600_000 },
  async () => {
    const broken: string[] = [];
    let disk = await openMemory();
    for (let seed = first; seed <= last && broken.length < 5; seed += 1) {
      try {
        await simulateHistory(disk.store, disk.place, seed);
      } catch (error) {
        broken.push(`STEPGATE_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`);
        // What a broken history left would be taken up by the next one.
        disk = await openMemory();
      }
    }
    expect(broken).toEqual([]);
  },
);

async function openMemory() {
  const store = await openSqliteStore({ file: ":memory:", writer: "inline" });
  return { store, place: await publishSample(store) };
}
