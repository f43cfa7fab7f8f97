import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { giveBackMemory } from "./give-back-memory.ts";

let share = 0;
const collect = vi.fn<() => void>();
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  collect.mockReset();
  stop = giveBackMemory({ busyShare: () => share, collect });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

function pass(seconds: number, busyShare: number): void {
  share = busyShare;
  vi.advanceTimersByTime(seconds * 1000);
}

it("memory is given back once after the start, and not again while the daemon rests", () => {
  pass(1, 0);
  expect(collect).toHaveBeenCalledOnce();
  pass(3_600, 0.01);
  expect(collect).toHaveBeenCalledOnce();
});

it("a daemon at work is left alone; when it comes to rest, memory is given back again", () => {
  pass(60, 0.6);
  expect(collect).not.toHaveBeenCalled();
  pass(10, 0);
  expect(collect).toHaveBeenCalledOnce();
  pass(60, 0.1);
  pass(60, 0);
  expect(collect).toHaveBeenCalledTimes(2);
});

it("after the end of the daemon nothing is collected", () => {
  stop();
  pass(60, 0);
  expect(collect).not.toHaveBeenCalled();
});

it("by default V8 is asked, and shows its gc to nobody", () => {
  const end = giveBackMemory();
  share = 0;
  vi.advanceTimersByTime(6_000);
  expect("gc" in globalThis).toBe(false);
  end();
});
