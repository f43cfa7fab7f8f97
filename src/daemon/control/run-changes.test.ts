import { expect, it } from "vitest";
import type { RunChange } from "../../store/store.ts";
import { watchChanges } from "./run-changes.ts";

function setUp(capacity?: number) {
  let tell: (change: RunChange) => void = () => undefined;
  const store = {
    watchRuns: (_: string | null, listener: (change: RunChange) => void) => {
      tell = listener;
      return () => undefined;
    },
  };
  const changes = watchChanges(store, capacity);
  const change = (runId: string, workspaceId = 1) => tell({ runId, workspaceId, status: "running", seq: 1 });
  return { changes, change };
}

it("a run that changed again counts once, at its latest change; other workspaces see nothing of it", () => {
  const { changes, change } = setUp();
  for (const id of ["a", "b", "a"]) change(id);
  change("c", 2);
  expect(changes.latest()).toBe(4);
  expect(changes.since(1, 0)).toEqual(["b", "a"]);
  expect(changes.since(1, 2)).toEqual(["a"]);
  expect(changes.since(2, 0)).toEqual(["c"]);
  expect(changes.since(1, 3)).toEqual([]);
});

it("what was forgotten is known to be forgotten, and the future is not known", () => {
  const { changes, change } = setUp(2);
  for (const id of ["a", "b", "c"]) change(id);
  expect([0, 1, 3, 4].map(changes.knows)).toEqual([false, true, true, false]);
  expect(changes.since(1, 1)).toEqual(["b", "c"]);
});

it("a million changes of a thousand runs keep a thousand entries", () => {
  const { changes, change } = setUp();
  for (let n = 0; n < 1_000_000; n += 1) change(`run-${n % 1000}`);
  expect(changes.since(1, 0)).toHaveLength(1000);
  expect(changes.knows(0)).toBe(true);
});

it("waiting ends with the next change, or when it is aborted", async () => {
  const { changes, change } = setUp();
  const never = new AbortController();
  const heard = changes.next(0, never.signal);
  change("a");
  await heard;
  await changes.next(0, never.signal);
  const given = changes.next(1, never.signal);
  never.abort();
  await given;
  expect(changes.latest()).toBe(1);
});
