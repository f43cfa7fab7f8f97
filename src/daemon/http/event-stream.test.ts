import { expect, it } from "vitest";
import { fakeWorld } from "../../../test/support/fake-world.ts";
import type { StreamEvent } from "../operation.ts";
import { streamBody } from "./event-stream.ts";

function open(events: AsyncIterable<StreamEvent>) {
  const { world, clock } = fakeWorld("2026-01-01T00:00:00Z");
  const seen = { cuts: 0, releases: 0, errors: [] as unknown[] };
  const hold = { signal: new AbortController().signal, release: () => void (seen.releases += 1) };
  const body = streamBody(
    { events, hold },
    { after: world.after, cut: () => void (seen.cuts += 1), onError: (error) => seen.errors.push(error) },
  );
  return { body, clock, seen };
}

async function* list(...events: StreamEvent[]) {
  yield* events;
}

/** Events of 256 KiB without end, counted as they are read. */
function endless() {
  const read = { count: 0 };
  async function* generate() {
    for (;;) {
      read.count += 1;
      yield { event: "step_completed", id: read.count, data: "x".repeat(256 * 1024) };
    }
  }
  return { read, events: generate() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("writes each event with its type, its id where it has one, and its data, then ends", async () => {
  const { body, seen } = open(list({ event: "step_started", id: 7, data: '{"a":1}' }, { event: "run", data: "{}" }));
  const text = await new Response(body).text();
  expect(text).toBe('event: step_started\nid: 7\ndata: {"a":1}\n\nevent: run\ndata: {}\n\n');
  expect(seen).toEqual({ cuts: 0, releases: 1, errors: [] });
});

it("a comment every 15 seconds shows that a silent stream lives", async () => {
  const { body, clock } = open(
    (async function* () {
      await new Promise(() => undefined);
      yield { event: "run", data: "" };
    })(),
  );
  const reader = body.getReader();
  clock.advance(14_999);
  clock.advance(1);
  expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^:.*\n\n$/);
  clock.advance(15_000);
  expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^:/);
});

it("reads no further ahead than 1 MiB, and cuts a reader off that leaves it for two heartbeats", async () => {
  const { read, events } = endless();
  const { clock, seen } = open(events);
  for (let index = 0; index < 20; index++) await turn();
  expect(read.count).toBe(4);
  clock.advance(15_000);
  expect(seen.cuts).toBe(0);
  clock.advance(15_000);
  expect(seen).toMatchObject({ cuts: 1, releases: 1 });
});

it("a reader that is slow but takes something is not cut off", async () => {
  const { events } = endless();
  const { body, clock, seen } = open(events);
  const reader = body.getReader();
  for (let index = 0; index < 10; index++) {
    await reader.read();
    await turn();
    clock.advance(15_000);
  }
  expect(seen.cuts).toBe(0);
  await reader.cancel();
});

it("a reader that leaves ends the events and gives the place back", async () => {
  let isEnded = false;
  const { body, seen } = open(
    (async function* () {
      try {
        yield { event: "run", data: "" };
        yield { event: "run", data: "" };
      } finally {
        isEnded = true;
      }
    })(),
  );
  const reader = body.getReader();
  await reader.read();
  await reader.cancel();
  expect(isEnded).toBe(true);
  expect(seen).toMatchObject({ cuts: 0, releases: 1 });
});

it("events that fail break the stream off and are told", async () => {
  const failure = new Error("disk");
  const { body, seen } = open(
    (async function* () {
      yield { event: "run", data: "" };
      throw failure;
    })(),
  );
  await body.getReader().read();
  await turn();
  expect(seen).toMatchObject({ cuts: 1, errors: [failure] });
});
