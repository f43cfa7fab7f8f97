import { expect, test, vi } from "vitest";
import { RunWatch } from "./run-watch.ts";

const change = { runId: "a", workspaceId: 1, status: "running", seq: 1 } as const;

test("one function may listen twice and ends each on its own", () => {
  const watch = new RunWatch();
  const listener = vi.fn<() => void>();
  const endOne = watch.add("a", listener);
  const endOther = watch.add("a", listener);
  endOne();
  endOne();
  watch.tell(change);
  expect(listener).toHaveBeenCalledTimes(1);
  endOther();
  watch.tell(change);
  expect(listener).toHaveBeenCalledTimes(1);
});

test("a listener may end itself while it is told", () => {
  const watch = new RunWatch();
  const told: string[] = [];
  const end = watch.add("a", () => {
    told.push("first");
    end();
  });
  watch.add("a", () => told.push("second"));
  watch.tell(change);
  watch.tell(change);
  expect(told).toEqual(["first", "second", "second"]);
});

test("what a listener throws surfaces, and keeps no other from hearing", () => {
  const watch = new RunWatch();
  const later = vi.spyOn(globalThis, "queueMicrotask").mockImplementation(() => undefined);
  const listener = vi.fn<() => void>();
  watch.add("a", () => {
    throw new Error("mine");
  });
  watch.add(null, listener);
  watch.tell(change);
  expect(listener).toHaveBeenCalledTimes(1);
  expect(later.mock.calls[0]?.[0]).toThrow("mine");
  later.mockRestore();
});
