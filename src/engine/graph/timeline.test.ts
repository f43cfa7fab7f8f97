import { expect, it } from "vitest";
import type { EventRecord } from "../../store/store.ts";
import { createTimeline } from "./timeline.ts";

const start = Date.UTC(2026, 0, 1);
const facts = (id: string) => ({ type: "set", name: `Node ${id}` });

/** Events of one run, a second apart. */
function fold(events: Partial<EventRecord>[], keep = 1000) {
  const timeline = createTimeline(facts, keep);
  for (const [index, event] of events.entries()) {
    const defaults = { seq: index + 1, type: "step_started", stepId: "a", iteration: null, attempt: 1 } as const;
    timeline.add({ ...defaults, createdAt: start + index * 1000, ...event });
  }
  return timeline;
}

it("a step has its input, output and times from its events", () => {
  const timeline = fold([
    { inputData: { value: 1 } },
    { type: "step_completed", outputData: { sum: 2 }, durationMs: 12.5 },
  ]);
  expect(timeline.steps()).toEqual([
    {
      step_id: "a",
      iteration: null,
      type: "set",
      name: "Node a",
      status: "completed",
      attempt: 1,
      input: { value: 1 },
      output: { sum: 2 },
      error: null,
      started_at: "2026-01-01T00:00:00.000Z",
      completed_at: "2026-01-01T00:00:01.000Z",
      duration_ms: 12.5,
    },
  ]);
});

const statuses: [type: EventRecord["type"], status: string, isOver: boolean][] = [
  ["step_started", "running", false],
  ["step_waiting", "waiting", false],
  ["step_pending_approval", "pending_approval", false],
  ["step_completed", "completed", true],
  ["step_failed", "failed", true],
  ["step_failed_continued", "failed_continued", true],
  ["step_timed_out", "timed_out", true],
  ["step_skipped", "skipped", true],
];

it.each(statuses)("after %s a step is %s", (type, status, isOver) => {
  const [step] = fold([{ type }]).steps();
  expect(step?.status).toBe(status);
  expect(step?.completed_at === null).toBe(!isOver);
});

it("a step that was skipped never started and took no time", () => {
  const [step] = fold([{ type: "step_skipped" }]).steps();
  expect(step).toMatchObject({ started_at: null, duration_ms: null });
});

it("attempts are one step: it shows the previous error until one goes well, and counts from the first start", () => {
  const error = { code: "UPSTREAM_ERROR", message: "502" };
  const retried = [{}, { attempt: 2, error }];
  expect(fold(retried).steps()).toMatchObject([{ status: "running", attempt: 2, error }]);
  expect(fold([...retried, { type: "step_completed", attempt: 2 }]).steps()).toMatchObject([
    { status: "completed", attempt: 2, error: null, started_at: "2026-01-01T00:00:00.000Z", duration_ms: 2000 },
  ]);
});

it("iterations of one node are steps of their own, in the order of their first events", () => {
  const timeline = fold([
    { stepId: "loop" },
    { stepId: "body", iteration: [0] },
    { stepId: "body", iteration: [0], type: "step_completed" },
    { stepId: "body", iteration: [1] },
    { stepId: "loop", type: "step_completed" },
  ]);
  expect(timeline.steps().map((step) => [step.step_id, step.iteration, step.status])).toEqual([
    ["loop", null, "completed"],
    ["body", [0], "completed"],
    ["body", [1], "running"],
  ]);
});

it("keeps the last steps and counts all, also when an old one ends late", () => {
  const events = Array.from({ length: 10 }, (_, index) => ({ stepId: `s${index}` }));
  const timeline = fold([...events, { stepId: "s0", type: "step_completed" as const }], 3);
  expect(timeline.steps().map((step) => step.step_id)).toEqual(["s7", "s8", "s9"]);
  expect(timeline.total()).toBe(10);
  expect(fold(events, 0).steps()).toEqual([]);
  expect(fold(events, 0).total()).toBe(10);
});
