import { expect, test } from "vitest";
import { createSampleRun, publishSample, sampleClaim, sampleEvent } from "../suite/samples.ts";
import { openWriter } from "./connection.ts";
import { prepareAppendEvents } from "./append-events.ts";
import { encodeEvent, journalKey, maxSeq, sealedKey } from "./event-row.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const event = encodeEvent(sampleEvent());

test("a journal takes events up to its last number, and refuses the next with a plain error", () => {
  const { db } = openWriter({ file: ":memory:" });
  const append = prepareAppendEvents(db);
  const run = { runId: "run-7", insideId: 7 };
  expect(append({ ...run, after: maxSeq - 1, events: [event] })).toBe(maxSeq);
  expect(() => append({ ...run, after: maxSeq, events: [event] })).toThrow(/Run run-7 is full: .* 1048574 events/);
  expect(append({ runId: "run-8", insideId: 8, after: 0, events: [event] })).toBe(1);
});

test("the keys of a run end before those of the next, far beyond the runs anybody has", () => {
  const last = 2 ** 33 - 2;
  expect(sealedKey(last, "result")).toBeLessThan(journalKey(last + 1, 0));
  expect(Number.isSafeInteger(journalKey(last + 1, maxSeq))).toBe(true);
});

test("a commit that would overfill the journal changes nothing", async () => {
  const store = await openSqliteStore({ file: ":memory:", writer: "inline" });
  const run = await createSampleRun(store, await publishSample(store));
  const events = Array.from({ length: maxSeq + 1 }, () => sampleEvent());
  await expect(store.commitRun(sampleClaim(run, { events }))).rejects.toThrow(/is full/);
  expect(await store.findRun(run.workspaceId, run.id)).toEqual(run);
  await store.close();
});
