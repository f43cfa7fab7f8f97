import { expect, it } from "vitest";
import { ApiError } from "../../contract/errors.ts";
import { createOpenAnswers } from "./open-answers.ts";

const client = () => new AbortController();

it("a key may have 5 streams and 16 held answers, each apart, and a place that is given back can be taken again", () => {
  const answers = createOpenAnswers();
  const streams = Array.from({ length: 5 }, () => answers.open("a", "stream", client().signal));
  Array.from({ length: 16 }, () => answers.open("a", "answer", client().signal));
  expect(() => answers.open("a", "stream", client().signal)).toThrow("Rate limit exceeded");
  expect(() => answers.open("a", "answer", client().signal)).toThrow("Rate limit exceeded");
  answers.open("b", "stream", client().signal);
  streams[0]?.release();
  answers.open("a", "stream", client().signal);
});

it("all keys together may have 256", () => {
  const answers = createOpenAnswers();
  for (let index = 0; index < 256; index++) answers.open(`key ${index}`, "stream", client().signal);
  expect(() => answers.open(null, "stream", client().signal)).toThrow(expect.objectContaining({ code: "OVERLOADED" }));
});

it("a client that leaves gives its place back", () => {
  const answers = createOpenAnswers();
  for (let round = 0; round < 20; round++) {
    const leaving = client();
    const { signal } = answers.open("a", "stream", leaving.signal);
    leaving.abort();
    expect(signal.aborted).toBe(true);
  }
});

it("revoking a key ends its answers and says why; those of others go on until all are ended", () => {
  const answers = createOpenAnswers();
  const [own, other] = [answers.open("a", "answer", client().signal), answers.open("b", "answer", client().signal)];
  answers.endKey("a");
  expect(own.signal.reason).toEqual(new ApiError("UNAUTHORIZED", "API key revoked"));
  expect(other.signal.aborted).toBe(false);
  answers.endAll();
  expect(other.signal.aborted).toBe(true);
});
