import { expect, it } from "vitest";
import type { RunStatus } from "../../src/contract/run.ts";
import { stepgate } from "../support/command-line.ts";
import { answerJson, StandIn, type Handler } from "../support/stand-in.ts";

const runId = "71be90d4-0000-7000-8000-000000000000";

const runAs = (status: RunStatus) => ({
  run_id: runId,
  action_slug: "hello",
  action_release_version: 1,
  source: "action",
  status,
  input: {},
  output: null,
  error: status === "failed" ? { code: "UPSTREAM_ERROR", message: "down" } : null,
  steps: [],
  steps_total: 0,
  parent_run_id: null,
  child_runs: [],
  resume_from_run_id: null,
  duration_ms: null,
  created_at: "2026-03-01T12:00:00.000Z",
});

/** A daemon whose run is accepted and then `status`; its stream stays open unless the run has ended. */
function daemonWith(status: RunStatus): Handler {
  const isEnded = ["succeeded", "failed", "cancelled", "timed_out"].includes(status);
  return ({ method, headers }, response) => {
    if (method === "POST") return answerJson(response, 202, runAs("accepted"));
    if (headers.accept !== "text/event-stream") return answerJson(response, 200, runAs(status));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: run\ndata: ${JSON.stringify({ run_id: runId, status })}\n\n`);
    if (isEnded) response.end();
  };
}

const run = ["run", "hello", "--wait", "--json"];

it.each<[status: RunStatus, code: number, args?: string[]]>([
  ["succeeded", 0],
  ["failed", 10],
  ["cancelled", 11],
  ["timed_out", 12],
  ["waiting_for_approval", 13],
  ["running", 124, ["--timeout", "300ms"]],
  ["waiting_for_approval", 124, ["--timeout", "300ms", "--on-approval", "wait"]],
])("--wait on a run that is %s in the end exits with %i", async (status, code, args = []) => {
  await using server = await new StandIn(daemonWith(status)).listen();
  const ended = await stepgate(server.home, [...run, ...args]);
  expect(ended.code).toBe(code);
  expect(JSON.parse(ended.stdout)).toEqual(runAs(status));
  if (code === 0) expect(ended.stderr).toBe("");
  else expect(JSON.parse(ended.stderr)).toMatchObject({ exit_code: code, hint: expect.stringContaining(runId) });
});

it("a run that an action's policy holds from the start is not followed at all", async () => {
  await using server = await new StandIn(({ method }, response) => {
    answerJson(response, method === "POST" ? 202 : 200, runAs("waiting_for_approval"));
  }).listen();
  expect((await stepgate(server.home, run)).code).toBe(13);
  expect(server.requests.map((request) => request.headers.accept)).not.toContain("text/event-stream");
});

const gate = { seq: 1, type: "step_pending_approval", step_id: "pay", iteration: null, attempt: 1 };
const paid = { ...gate, seq: 2, type: "step_completed" };

/** A daemon whose run met a gate that was decided by the time it is read again; the stream tells `changes`. */
function decidedMeanwhile(changes: readonly (typeof gate | RunStatus)[], status: RunStatus): Handler {
  return ({ method, headers }, response) => {
    if (method === "POST") return answerJson(response, 202, runAs("accepted"));
    if (headers.accept !== "text/event-stream") return answerJson(response, 200, runAs(status));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const change of changes) {
      if (typeof change === "string")
        response.write(`event: run\ndata: ${JSON.stringify({ run_id: runId, status: change })}\n\n`);
      else response.write(`event: ${change.type}\nid: ${change.seq}\ndata: ${JSON.stringify(change)}\n\n`);
    }
    response.end();
  };
}

it("a gate that was decided before anybody looked ends nothing", async () => {
  await using server = await new StandIn(
    decidedMeanwhile([gate, "waiting_for_approval", paid, "succeeded"], "succeeded"),
  ).listen();
  expect((await stepgate(server.home, run)).code).toBe(0);
});

it("runs watch prints the whole journal of a run that is over, past the gate that it met", async () => {
  await using server = await new StandIn(decidedMeanwhile([gate, paid, "succeeded"], "succeeded")).listen();
  const { code, stdout } = await stepgate(server.home, ["runs", "watch", runId, "--jsonl"]);
  expect([
    code,
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).seq),
  ]).toEqual([0, [1, 2]]);
});

it.each([
  [429, "RATE_LIMIT_EXCEEDED", 8],
  [503, "OVERLOADED", 8],
  [403, "FORBIDDEN", 4],
  [409, "ACTION_UNAVAILABLE", 6],
  [500, "INTERNAL_ERROR", 1],
])("an answer %i %s is told as one JSON object on stderr", async (status, code, exit) => {
  await using server = await new StandIn((_, response) => {
    answerJson(response, status, { error: "No.", code, details: [{ a: 1 }] }, { "retry-after": "3000" });
  }).listen();
  const { code: exitCode, stdout, stderr } = await stepgate(server.home, ["run", "hello", "--json"]);
  expect([exitCode, stdout]).toEqual([exit, ""]);
  expect(JSON.parse(stderr)).toEqual({
    error: "No.",
    code,
    http_status: status,
    retry_after_s: 3000,
    details: [{ a: 1 }],
    hint: code === "ACTION_UNAVAILABLE" ? expect.stringContaining("stepgate actions resume") : null,
    exit_code: exit,
  });
});
