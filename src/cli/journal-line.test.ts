import { expect, it } from "vitest";
import type { JournalEvent } from "../contract/journal.ts";
import { makePaint } from "./colour.ts";
import { journalLine } from "./journal-line.ts";
import { showClock } from "./show-time.ts";

const event: JournalEvent = {
  seq: 7,
  run_id: "71be90d4-0000-7000-8000-000000000000",
  type: "step_completed",
  step_id: "enrich",
  iteration: null,
  attempt: 1,
  durationMs: 840,
  created_at: "2026-03-01T12:00:00.120Z",
};
const clock = showClock(event.created_at);
const forPeople = { format: "table", paint: makePaint(false) } as const;
const forPrograms = { format: "tsv", paint: makePaint(false) } as const;

it.each<[name: string, changes: Partial<JournalEvent>, line: string]>([
  ["a step that ended", {}, "step_completed         enrich                    840 ms"],
  ["a step in two loops", { iteration: [0, 2] }, "step_completed         enrich[0,2]               840 ms"],
  [
    "a failure",
    { type: "step_failed", attempt: 3, error: { code: "UPSTREAM_ERROR", message: "down\x1b[2J\n" } },
    "step_failed            enrich                    attempt 3  840 ms  UPSTREAM_ERROR down\\n",
  ],
])("people read %s", (_, changes, line) => {
  expect(journalLine({ ...event, ...changes }, forPeople)).toBe(`${clock}  ${line}`);
});

it("an event without remarks ends without spaces", () => {
  const { durationMs: _, ...started } = event;
  expect(journalLine({ ...started, type: "step_started" }, forPeople)).toBe(`${clock}  step_started           enrich`);
});

it("programs get all of it between tabs", () => {
  const failed: JournalEvent = { ...event, type: "step_failed", error: { code: "UNKNOWN", message: "a\tb" } };
  expect(journalLine(failed, forPrograms)).toBe(
    "7\t2026-03-01T12:00:00.120Z\tstep_failed\tenrich\t1\t840\tUNKNOWN\ta\\tb",
  );
});

it("a kind of event is told by its colour", () => {
  const painted = journalLine({ ...event, type: "step_failed" }, { format: "table", paint: makePaint(true) });
  expect(painted).toContain("\x1b[31mstep_failed");
});
