import { expect, it } from "vitest";
import { ApiError } from "../../contract/errors.ts";
import { createOpenAnswers } from "./open-answers.ts";

const client = () => new AbortController();
/** A world in which nothing happens by itself. */
const still = () => ({ now: () => new Date(0), after: () => () => undefined });

it("a key may have 5 streams and 16 held answers, each apart, and a place that is given back can be taken again", () => {
  const answers = createOpenAnswers(still());
  const streams = Array.from({ length: 5 }, () => answers.open("a", "stream", client().signal));
  Array.from({ length: 16 }, () => answers.open("a", "answer", client().signal));
  expect(() => answers.open("a", "stream", client().signal)).toThrow("Rate limit exceeded");
  expect(() => answers.open("a", "answer", client().signal)).toThrow("Rate limit exceeded");
  answers.open("b", "stream", client().signal);
  streams[0]?.release();
  answers.open("a", "stream", client().signal);
});

it("all keys together may have 256", () => {
  const answers = createOpenAnswers(still());
  for (let index = 0; index < 256; index++) answers.open(`key ${index}`, "stream", client().signal);
  expect(() => answers.open(null, "stream", client().signal)).toThrow(expect.objectContaining({ code: "OVERLOADED" }));
});

it("a client that leaves gives its place back", () => {
  const answers = createOpenAnswers(still());
  for (let round = 0; round < 20; round++) {
    const leaving = client();
    const { signal } = answers.open("a", "stream", leaving.signal);
    leaving.abort();
    expect(signal.aborted).toBe(true);
  }
});

it("revoking a key ends its answers and says why; those of others go on until all are ended", () => {
  const answers = createOpenAnswers(still());
  const [own, other] = [answers.open("a", "answer", client().signal), answers.open("b", "answer", client().signal)];
  answers.endKey("a");
  expect(own.signal.reason).toEqual(new ApiError("UNAUTHORIZED", "API key revoked"));
  expect(other.signal.aborted).toBe(false);
  answers.endAll();
  expect(other.signal.aborted).toBe(true);
});

it("a key that was revoked while its request was on the way opens nothing any more", () => {
  const answers = createOpenAnswers(still());
  answers.endKey("a");
  expect(() => answers.open("a", "stream", client().signal)).toThrow("API key revoked");
  answers.open("b", "stream", client().signal);
});

it("an answer ends when its key expires, however far ahead that is, and one that was given back leaves no timer", () => {
  const timers = new Set<() => void>();
  let now = 0;
  const after = (ms: number, callback: () => void) => {
    const look = () => {
      now += Math.min(ms, 1000);
      timers.delete(look);
      callback();
    };
    timers.add(look);
    return () => void timers.delete(look);
  };
  const answers = createOpenAnswers({ now: () => new Date(now), after });
  const { signal } = answers.open("a", "stream", client().signal, 2500);
  answers.open("a", "stream", client().signal, 9000).release();
  for (const moment of [1000, 2000, 2500]) {
    expect([signal.aborted, timers.size]).toEqual([false, 1]);
    for (const look of new Set(timers)) look();
    expect(now).toBe(moment);
  }
  expect(signal.reason).toEqual(new ApiError("UNAUTHORIZED", "API key expired"));
  expect(timers.size).toBe(0);
});
