import { expect, test } from "vitest";
import type { RunLogLine } from "../store.ts";
import { createSampleRun, noon, publishSample } from "./samples.ts";
import { type OpenStore, useStore } from "./use-store.ts";

const line = (text: string, changes: Partial<RunLogLine> = {}): RunLogLine => ({
  stepId: "script",
  iteration: null,
  attempt: 1,
  text,
  createdAt: noon,
  ...changes,
});

export function testRunLog(open: OpenStore): void {
  const store = useStore(open);

  async function append(runId: string, text: string, changes?: Partial<RunLogLine>, maxBytes = 1000): Promise<void> {
    await store().appendRunLog({ runId, line: line(text, changes), maxBytes });
  }
  const textsOf = async (runId: string) => (await store().readRunLog(runId, 0, 100)).map(({ text }) => text);

  test("lines are read in the order in which they were written, each run's by itself", async () => {
    const place = await publishSample(store());
    const [run, other] = [await createSampleRun(store(), place), await createSampleRun(store(), place)];
    await Promise.all([
      append(run.id, "one", { iteration: [1, 0] }),
      append(other.id, "another"),
      append(run.id, "two", { attempt: 2 }),
      append(run.id, "three"),
    ]);
    expect(await store().readRunLog(run.id, 0, 2)).toEqual([
      { seq: 1, ...line("one", { iteration: [1, 0] }) },
      { seq: 2, ...line("two", { attempt: 2 }) },
    ]);
    expect(await store().readRunLog(run.id, 2, 10)).toEqual([{ seq: 3, ...line("three") }]);
    expect(await textsOf(other.id)).toEqual(["another"]);
  });

  test("a log that is full says so once and takes no more", async () => {
    const run = await createSampleRun(store(), await publishSample(store()));
    for (const text of ["éé", "12345", "six", "seven"]) await append(run.id, text, {}, 10);
    expect(await textsOf(run.id)).toEqual(["éé", "12345", expect.stringContaining("full")]);
  });

  test("a line of a run that is not there is left out", async () => {
    await append("01980000-0000-7000-8000-ffffffffffff", "lost");
    expect(await textsOf("01980000-0000-7000-8000-ffffffffffff")).toEqual([]);
  });

  test("the log goes with its run", async () => {
    const place = await publishSample(store());
    const run = await createSampleRun(store(), place, { status: "failed", completedAt: noon });
    await append(run.id, "gone");
    await store().deleteExpired({ what: "runs", before: noon + 1, from: 0, limit: 100 });
    expect(await textsOf(run.id)).toEqual([]);
  });
}
