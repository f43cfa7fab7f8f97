import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { publishSample } from "../../src/store/suite/samples.ts";
import { type SimulatedPlace, simulateHistory } from "../support/simulate-history.ts";

/** 500 in the suite; scripts/long-tests.ts lives 10,000. STEPGATE_SEED=N repeats the history of one. */
const count = Number(process.env["STEPGATE_SEEDS"] ?? 500);
const one = process.env["STEPGATE_SEED"];
const first = Number(one ?? 1);
const last = one ? first : first + count - 1;

let store: Store;
let place: SimulatedPlace;
beforeAll(async () => {
  store = await openSqliteStore({ file: ":memory:", writer: "inline" });
  place = await publishSample(store);
});
afterAll(async () => store.close());

test("no history of crashes, zombies and failing systems breaks a promise of the engine", { timeout: 3_600_000 }, async () => {
  const broken: string[] = [];
  for (let seed = first; seed <= last && broken.length < 5; seed += 1) {
    await simulateHistory(store, place, seed).catch((error: unknown) => {
      broken.push(`STEPGATE_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  expect(broken).toEqual([]);
});
