import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { type Golden, openGolden, trueOutput } from "../support/golden.ts";

const folder = new URL("../golden/", import.meta.url);
const goldens = readdirSync(folder).map((file): Golden => JSON.parse(readFileSync(new URL(file, folder), "utf8")));

/** The run as its daemon left it when it went down after so many events, resumed by the code of today. */
async function resume({ workflow, runId, input, events, sealed }: Golden, count: number) {
  const { store, worker, newRun } = await openGolden(workflow);
  const kept = sealed.map(({ place, content }) => ({ place, content: Buffer.from(content, "base64") }));
  const ofInput = kept.filter(({ place }) => place === "input");
  const ofEvents = kept.filter(({ place }) => typeof place === "number" && place <= count);
  await store.createRun({ ...newRun(runId, input), sealed: ofInput });
  const commit = { runId, epoch: 1, claim: true, seq: 0, activeMs: 0, at: 0, status: "running" } as const;
  expect(await store.commitRun({ ...commit, events: events.slice(0, count), sealed: ofEvents })).toBe(true);
  await worker.recover();
  const output = await trueOutput(store, runId);
  const journal = await store.readJournal(runId, 0, 100_000);
  await store.close();
  return {
    output,
    journal: journal.map(({ type, stepId, iteration }) => `${type} ${stepId} ${JSON.stringify(iteration)}`),
  };
}

test.each(goldens)("the journal $name, written by an earlier version, is resumed at every event", async (golden) => {
  const happened = golden.events.map(({ type, stepId, iteration }) => `${type} ${stepId} ${JSON.stringify(iteration)}`);
  expect(happened.length).toBeGreaterThan(10);
  for (let count = 0; count <= golden.events.length; count += 1) {
    const { output, journal } = await resume(golden, count);
    expect([count, JSON.stringify(output)]).toEqual([count, JSON.stringify(golden.output)]);
    expect([count, journal.toSorted()]).toEqual([count, happened.toSorted()]);
  }
});
