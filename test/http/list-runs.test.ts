import { beforeEach, expect, it } from "vitest";
import type { RunList } from "../../src/contract/run.ts";
import { heldCatalogue } from "../support/held-node.ts";
import { testRuntime } from "../support/runtime.ts";
import { greet, pass } from "../support/workflows.ts";

let runtime: Awaited<ReturnType<typeof testRuntime>>;
/** Names of the runs by their ids. */
let names: Map<string, string>;

/** Four runs on three days: two that succeeded, a dry run, and one under way. */
beforeEach(async () => {
  const { catalogue } = heldCatalogue();
  runtime = await testRuntime({ now: "2026-03-01T12:00:00.000Z", catalogue });
  await runtime.publish(greet);
  await runtime.publish(pass, {});
  const first = await runtime.runToEnd("greet", { name: "Ada" });
  runtime.clock.advance(86_400_000);
  const dry = await runtime.post<{ run_id: string }>("/actions/greet/run", { input: { name: "a" }, dry_run: true });
  const second = await runtime.runToEnd("greet", { name: "Bob" });
  runtime.clock.advance(86_400_000);
  const held = await runtime.post<{ run_id: string }>("/actions/pass/run");
  await runtime.started(held.body.run_id);
  names = new Map([
    [first.run_id, "first"],
    [dry.body.run_id, "dry"],
    [second.run_id, "second"],
    [held.body.run_id, "held"],
  ]);
});

async function list(query: string): Promise<string> {
  const { status, body } = await runtime.get<RunList>(`/runs${query}`);
  expect(status).toBe(200);
  return `${body.runs.map((run) => names.get(run.run_id)).join(" ")} of ${body.total}`;
}

const filters: [query: string, found: string][] = [
  ["", "held second dry first of 4"],
  ["?needs_approval=false", "held second dry first of 4"],
  ["?needs_approval=true", " of 0"],
  ["?needs_approval=", "held second dry first of 4"],
  ["?action_slug=pass", "held of 1"],
  ["?action_slug=unknown", " of 0"],
  ["?action_slug=", "held second dry first of 4"],
  ["?status=succeeded", "second dry first of 3"],
  ["?status=running", "held of 1"],
  ["?status=failed", " of 0"],
  ["?status=succeeded&needs_approval=true", " of 0"],
  ["?status=waiting_for_approval&needs_approval=true", " of 0"],
  ["?source=dry_run", "dry of 1"],
  ["?source=action", "held second first of 3"],
  ["?source=schedule", " of 0"],
  ["?source=scheduler", " of 0"],
  ["?source=action&status=succeeded&action_slug=greet", "second first of 2"],
  ["?has_incident=true", " of 0"],
  ["?has_incident=false", "held second dry first of 4"],
  ["?date_from=2026-03-02", "held second dry of 3"],
  ["?date_to=2026-03-02", "second dry first of 3"],
  ["?date_from=2026-03-02&date_to=2026-03-02", "second dry of 2"],
  ["?date_from=2026-03-01T12:00:00Z&date_to=2026-03-01T12:00:00.000Z", "first of 1"],
  ["?date_from=2026-03-01T12:00:00.001Z", "held second dry of 3"],
  ["?date_from=2026-03-01T15:00:00%2B03:00&date_to=2026-03-01T12:00:00Z", "first of 1"],
  ["?date_from=2026-03-01T15:00:00+03:00&date_to=2026-03-01T12:00:00Z", "first of 1"],
  ["?date_from=2026-03-05&date_to=2026-03-01", " of 0"],
  ["?limit=2", "held second of 4"],
  ["?limit=2&offset=2", "dry first of 4"],
  ["?offset=4", " of 4"],
  ["?offset=100000", " of 4"],
];

it("every filter of the list finds what it should, newest first, and counts all that match", async () => {
  for (const [query, found] of filters) expect([query, await list(query)]).toEqual([query, found]);
});

it("the envelope and its rows have exactly the fields of the contract", async () => {
  const { body } = await runtime.get<RunList>("/runs?limit=1&offset=1");
  expect(body).toEqual({
    runs: [
      {
        run_id: expect.any(String),
        action_slug: "greet",
        source: "action",
        status: "succeeded",
        duration_ms: 0,
        created_at: "2026-03-02T12:00:00.000Z",
      },
    ],
    total: 4,
    limit: 1,
    offset: 1,
  });
});

it("runs of another workspace are not there", async () => {
  const answer = await runtime.control("GET", "/api/v1/runtime/runs", undefined, {
    "x-stepgate-workspace": "elsewhere",
  });
  expect([answer.status, answer.body["code"]]).toEqual([404, "NOT_FOUND"]);
  expect((await runtime.control("GET", "/api/v1/runtime/runs")).body["total"]).toBe(4);
});
