import { expect, it } from "vitest";
import { journalEvent } from "../../contract/journal.ts";
import { run as runShape, runDetail, runRow } from "../../contract/run.ts";
import type { EventRecord, RunRecord } from "../../store/store.ts";
import { presentDetail, presentEvent, presentRow, presentRun } from "./present-run.ts";
import { createTimeline } from "../graph/timeline.ts";

const at = Date.UTC(2026, 0, 1);
const record: RunRecord = {
  id: "019b7600-0000-7000-8000-000000000001",
  workspaceId: 1,
  workflowId: "019b7600-0000-7000-8000-000000000002",
  versionId: "019b7600-0000-7000-8000-000000000003",
  version: 4,
  actionSlug: "greet",
  userId: "ada",
  source: "action",
  status: "accepted",
  input: { name: "Ada" },
  output: null,
  error: null,
  dryRun: false,
  epoch: 0,
  seq: 0,
  crashes: 0,
  held: false,
  incidentId: null,
  activeMs: 0,
  createdAt: at,
  startedAt: null,
  completedAt: null,
  resumeFromRunId: null,
  isInputRedacted: false,
  isResultRedacted: false,
  traceparent: null,
  http: null,
};

it("a new run has no steps, no times but its creation, and nothing that is not in the contract", () => {
  const presented = presentRun(record);
  expect(presented).toEqual({
    run_id: record.id,
    action_slug: "greet",
    action_release_version: 4,
    source: "action",
    status: "accepted",
    input: { name: "Ada" },
    output: null,
    error: null,
    steps: [],
    approval: null,
    dry_run: false,
    started_at: null,
    completed_at: null,
    duration_ms: null,
    created_at: "2026-01-01T00:00:00.000Z",
  });
  expect(runShape.strict().parse(presented)).toEqual(presented);
});

it("a run's duration is the time from its start to its end", () => {
  const ended = { ...record, startedAt: at + 20, completedAt: at + 370 };
  expect(presentRun(ended)).toMatchObject({
    started_at: "2026-01-01T00:00:00.020Z",
    completed_at: "2026-01-01T00:00:00.370Z",
    duration_ms: 350,
  });
  expect(runRow.strict().parse(presentRow(ended)).duration_ms).toBe(350);
  expect(presentRow({ ...record, startedAt: at }).duration_ms).toBeNull();
});

it("a read run also names its workflow and version and carries its steps", () => {
  const timeline = createTimeline(() => ({ type: "noop", name: null }), 10);
  timeline.add({ seq: 1, type: "step_started", stepId: "a", iteration: null, attempt: 1, createdAt: at });
  const detail = presentDetail(record, timeline, null);
  expect(runDetail.strict().parse(detail)).toEqual(detail);
  expect(detail).toMatchObject({ workflow_version_id: record.versionId, steps: [{ step_id: "a" }], steps_total: 1 });
});

it("an event has exactly the payload fields that were written, null ones too", () => {
  const base: EventRecord = { seq: 3, type: "step_completed", stepId: "a", iteration: [1], attempt: 2, createdAt: at };
  const plain = presentEvent(record.id, base);
  expect(plain).toEqual({
    seq: 3,
    run_id: record.id,
    type: "step_completed",
    step_id: "a",
    iteration: [1],
    attempt: 2,
    created_at: "2026-01-01T00:00:00.000Z",
  });
  const full = presentEvent(record.id, { ...base, outputData: null, durationMs: 1.5 });
  expect(full).toMatchObject({ outputData: null, durationMs: 1.5 });
  expect(journalEvent.strict().parse(full)).toEqual(full);
});
