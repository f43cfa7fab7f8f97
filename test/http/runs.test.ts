import { expect, it } from "vitest";
import type { Action, ActionList } from "../../src/contract/action.ts";
import { eventPage } from "../../src/contract/journal.ts";
import { type Run, type RunDetail, run as runShape, runDetail } from "../../src/contract/run.ts";
import { heldCatalogue } from "../support/held-node.ts";
import { testRuntime } from "../support/runtime.ts";
import { greet, pass } from "../support/workflows.ts";

it("an action that was published is listed with its frozen schemas and release", async () => {
  const runtime = await testRuntime();
  expect((await runtime.get<ActionList>("/actions")).body).toEqual({ actions: [], total: 0 });
  const { published } = await runtime.publish(greet);
  const { body } = await runtime.get<ActionList>("/actions");
  expect(body).toEqual({ actions: [expect.anything()], total: 1 });
  expect(body.actions[0]).toEqual({
    slug: "greet",
    name: "Greet",
    description: "Greets somebody.",
    status: "active",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string" }, times: { type: "integer" } },
      required: ["name"],
    },
    outputSchema: { type: "object", properties: { text: { type: "string" } } },
    approval_policy: "never",
    workflow_id: published[0]?.workflow_id,
    release: { version: 1, workflow_version_id: expect.any(String), published_at: "2026-01-15T10:00:00.000Z" },
    created_at: "2026-01-15T10:00:00.000Z",
    updated_at: "2026-01-15T10:00:00.000Z",
  });
  expect((await runtime.get<Action>("/actions/greet")).body).toEqual(body.actions[0]);
});

it("a run is answered as accepted, before anything ran", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const runtime = await testRuntime({ catalogue });
  await runtime.publish(pass);
  const { status, body } = await runtime.post<Run>("/actions/pass/run", { input: { extra: 1 } });
  expect(status).toBe(202);
  expect(runShape.strict().parse(body)).toEqual({
    run_id: expect.any(String),
    action_slug: "pass",
    action_release_version: 1,
    source: "action",
    status: "accepted",
    input: { extra: 1 },
    output: null,
    error: null,
    steps: [],
    approval: null,
    dry_run: false,
    started_at: null,
    completed_at: null,
    duration_ms: null,
    created_at: "2026-01-15T10:00:00.000Z",
  });
  letGo();
});

it("a dry run has succeeded, executes nothing and has no times", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const { status, body } = await runtime.post<Run>("/actions/greet/run", { input: { name: "Ada" }, dry_run: true });
  expect(status).toBe(202);
  expect(body).toMatchObject({
    status: "succeeded",
    source: "dry_run",
    dry_run: true,
    output: null,
    started_at: null,
    completed_at: null,
    duration_ms: null,
  });
  const page = await runtime.get(`/runs/${body.run_id}/events`);
  expect(page.body).toEqual({ events: [], next_after: 0 });
});

it("a run that has ended has its output, its steps and the times of both", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const run = await runtime.runToEnd("greet", { name: "Ada" });
  expect(runDetail.strict().parse(run)).toMatchObject({
    status: "succeeded",
    output: { text: "Hello Ada" },
    error: null,
    workflow_id: expect.any(String),
    workflow_version_id: expect.any(String),
    resume_from_run_id: null,
    incident_id: null,
    steps_total: 1,
    steps: [{ step_id: "done", type: "return_output", status: "completed", output: { text: "Hello Ada" } }],
  });
});

it("steps can be left out or all asked for; they are counted either way", async () => {
  const runtime = await testRuntime();
  await runtime.publish(pass);
  const { run_id: id } = await runtime.runToEnd("pass");
  const ask = async (query: string) => (await runtime.get<RunDetail>(`/runs/${id}${query}`)).body;
  expect(await ask("?steps=none")).toMatchObject({ steps: [], steps_total: 2 });
  expect((await ask("?steps=all")).steps.map((step) => [step.step_id, step.name])).toEqual([
    ["gate", "The gate"],
    ["done", null],
  ]);
});

it("the journal is read in pages", async () => {
  const runtime = await testRuntime();
  await runtime.publish(pass);
  const { run_id: id } = await runtime.runToEnd("pass");
  const page = async (query: string) => eventPage.parse((await runtime.get(`/runs/${id}/events${query}`)).body);
  const all = await page("");
  expect(all.events.map((event) => `${event.seq} ${event.type} ${event.step_id}`)).toEqual([
    "1 step_started gate",
    "2 step_completed gate",
    "3 step_started done",
    "4 step_completed done",
  ]);
  expect(all.events[0]).toMatchObject({
    run_id: id,
    iteration: null,
    attempt: 1,
    created_at: "2026-01-15T10:00:00.000Z",
  });
  expect(all.next_after).toBe(4);
  expect(await page("?limit=2")).toEqual({ events: all.events.slice(0, 2), next_after: 2 });
  expect(await page("?after=2&limit=2")).toEqual({ events: all.events.slice(2), next_after: 4 });
  expect(await page("?after=4")).toEqual({ events: [], next_after: 4 });
});

it("an answer can be held until the run ends, from its start and from its reading", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const runtime = await testRuntime({ catalogue });
  await runtime.publish(pass);
  const held = runtime.post<Run>("/actions/pass/run?wait=60");
  const { run_id: id } = await runtime.newestRun();
  const read = runtime.get<RunDetail>(`/runs/${id}?wait=60`);
  await runtime.started(id);
  letGo();
  expect((await held).status).toBe(202);
  expect((await held).body).toMatchObject({ run_id: id, status: "succeeded", output: { ok: true }, steps: [{}, {}] });
  expect((await read).body).toMatchObject({ status: "succeeded" });
  // A run that has ended is answered at once.
  expect((await runtime.get(`/runs/${id}?wait=60`)).status).toBe(200);
});

it("an answer is held no longer than asked for", async () => {
  const { catalogue } = heldCatalogue();
  const runtime = await testRuntime({ catalogue });
  await runtime.publish(pass);
  const { body } = await runtime.post<Run>("/actions/pass/run?wait=0");
  const read = runtime.get<RunDetail>(`/runs/${body.run_id}?wait=20`);
  await runtime.started(body.run_id);
  await runtime.settled();
  runtime.clock.advance(20_000);
  expect((await read).body).toMatchObject({ status: "running", steps: [{ step_id: "gate", status: "running" }] });
});

it("revoking the key ends the answers that are held for it", async () => {
  const { catalogue } = heldCatalogue();
  const runtime = await testRuntime({ catalogue });
  await runtime.publish(pass);
  const { id: keyId, secret } = await runtime.mintKey();
  const { body } = await runtime.post<Run>("/actions/pass/run");
  const read = runtime.get(`/runs/${body.run_id}?wait=60`, secret);
  await runtime.settled();
  await runtime.control("POST", `/control/keys/${keyId}/revoke`);
  expect(await read).toMatchObject({ status: 401, body: { error: "API key revoked" } });
});

it("a run of thousands of steps is read in several turns, so that its readers don't hold up everybody else", async () => {
  const runtime = await testRuntime();
  await runtime.publish(`name: Many
slug: many
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: list, type: array}]}}
  - {id: each, type: loop, data: {items: "{{action_input.list}}"}}
  - {id: step, type: noop}
  - {id: result, type: return_output, data: {properties: [{name: n, type: number, value: 1}]}}
edges: [action_input -> each, each.loop -> step, each.done -> result]
`);
  const { run_id: id, steps_total: total } = await runtime.runToEnd("many", { list: Array(4000).fill(1) });
  const turnsOf = async (path: string): Promise<number> => {
    let turns = 0;
    let isAnswered = false;
    const count = (): void => {
      if (isAnswered) return;
      turns += 1;
      setImmediate(count);
    };
    count();
    await runtime.get(path);
    isAnswered = true;
    return turns;
  };
  expect(total).toBe(4002);
  const short = await turnsOf(`/runs/${id}/events?limit=1`);
  expect(await turnsOf(`/runs/${id}?steps=none`)).toBeGreaterThanOrEqual(short + 3);
});
