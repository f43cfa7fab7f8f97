import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runSources, runStatuses, type RunStatus } from "../../contract/run.ts";
import type { RunFilter, RunRecord, Store } from "../store.ts";
import {
  createSampleRun,
  getRun,
  noon,
  publishSample,
  range,
  sampleClaim,
  sampleCommit,
  type RunPlace,
} from "./samples.ts";
import { useStore, type OpenStore } from "./use-store.ts";

const all = { limit: 1000, offset: 0 };
const slugs = ["refund", "ship", "none"];

/** A run of the history that a property makes up, and where it is moved to, if it lets itself be moved. */
const madeUpRun = fc.record({
  source: fc.constantFrom(...runSources),
  status: fc.constantFrom(...runStatuses),
  slug: fc.constantFrom("refund", "ship", null),
  createdAt: fc.integer({ min: noon, max: noon + 9 }),
  moves: fc.array(fc.constantFrom(...runStatuses), { maxLength: 3 }),
});

const madeUpFilter = fc.record(
  {
    statuses: fc.uniqueArray(fc.constantFrom(...runStatuses), { maxLength: 3 }),
    source: fc.constantFrom(...runSources),
    actionSlug: fc.constantFrom(...slugs),
    createdFrom: fc.integer({ min: noon, max: noon + 9 }),
    createdTo: fc.integer({ min: noon, max: noon + 9 }),
  },
  { requiredKeys: [] },
);
type MadeUpFilter = Omit<RunFilter, "workspaceId" | "limit" | "offset">;

/** Promises of `listRuns`, and that the counters behind `total` stay true. */
export function testListing(open: OpenStore): void {
  const store = useStore(open);

  test("lists are newest first and paged, and total counts all that match", async () => {
    const place = await publishSample(store());
    const runs = await Promise.all(range(7).map((n) => createSampleRun(store(), place, { createdAt: noon + n })));
    const ids = runs.map(({ id }) => id).toReversed();
    const page = await store().listRuns({ workspaceId: place.workspaceId, limit: 3, offset: 2 });
    expect(page.runs.map(({ id }) => id)).toEqual(ids.slice(2, 5));
    expect(page.total).toBe(7);
    expect(await store().listRuns({ workspaceId: place.workspaceId, limit: 3, offset: 9 })).toEqual({
      runs: [],
      total: 7,
    });
  });

  test("rows hold the run without its payloads", async () => {
    const run = await createSampleRun(store(), await publishSample(store()));
    const {
      input: _i,
      output: _o,
      error: _e,
      resumeFromRunId: _f,
      isInputRedacted: _a,
      isResultRedacted: _b,
      traceparent: _t,
      http: _h,
      ...summary
    } = run;
    expect((await store().listRuns({ workspaceId: run.workspaceId, ...all })).runs).toEqual([summary]);
  });

  test("another workspace lists nothing", async () => {
    await createSampleRun(store(), await publishSample(store()));
    expect(await store().listRuns({ workspaceId: 4711, ...all })).toEqual({ runs: [], total: 0 });
  });

  describe("whatever happened to the runs", () => {
    test("lists and counters agree with the runs themselves", async () => {
      const places = [await publishSample(store(), "refund"), await publishSample(store(), "ship")];
      const history: RunRecord[] = [];
      await fc.assert(
        fc.asyncProperty(fc.array(madeUpRun, { maxLength: 6 }), madeUpFilter, async (runs, filter) => {
          for (const run of runs) history.push(await live(store(), places, run));
          await expectListed(history, given(filter));
          for (const status of runStatuses) await expectListed(history, { statuses: [status] });
        }),
        { numRuns: 50 },
      );
    });
  });

  async function expectListed(history: readonly RunRecord[], filter: MadeUpFilter): Promise<void> {
    const workspaceId = history[0]?.workspaceId ?? 1;
    const { runs, total } = await store().listRuns({ workspaceId, ...filter, ...all });
    const expected = select(history, filter).map(({ id }) => id);
    expect(runs.map(({ id }) => id)).toEqual(expected);
    expect(total).toBe(expected.length);
  }
}

/** Makes the run and moves it, as far as the store lets it. */
async function live(
  store: Store,
  places: RunPlace[],
  { slug, moves, ...changes }: { slug: string | null; moves: RunStatus[] } & Partial<RunRecord>,
): Promise<RunRecord> {
  const place = places.find(({ actionSlug }) => actionSlug === slug) ?? {
    ...places[0]!,
    actionId: null,
    actionSlug: null,
  };
  const created = await createSampleRun(store, place, changes);
  for (const status of moves) {
    const run = await getRun(store, created);
    await store.commitRun(run.status === "accepted" ? sampleClaim(run, { status }) : sampleCommit(run, { status }));
  }
  return getRun(store, created);
}

/** What the list has to hold: the newest first by creation when it is bounded, else by order of acceptance. */
function select(history: readonly RunRecord[], filter: MadeUpFilter): RunRecord[] {
  const { statuses, source, actionSlug, createdFrom, createdTo } = filter;
  const isDated = createdFrom !== undefined || createdTo !== undefined;
  const matching = history
    .toReversed()
    .filter(
      (run) =>
        (statuses?.includes(run.status) ?? true) &&
        run.source === (source ?? run.source) &&
        run.actionSlug === (actionSlug ?? run.actionSlug) &&
        run.createdAt >= (createdFrom ?? 0) &&
        run.createdAt <= (createdTo ?? Infinity),
    );
  return isDated ? matching.toSorted((a, b) => b.createdAt - a.createdAt) : matching;
}

/** A record without the keys that were left out. */
function given(filter: { [K in keyof MadeUpFilter]: MadeUpFilter[K] | undefined }): MadeUpFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
