import { describe, expect, test } from "vitest";
import { heldCatalogue } from "../support/held-node.ts";
import { RunDriver } from "../support/run-driver.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow, keep, waitFor } from "../support/time-workflows.ts";

const minute = 60_000;
const hour = 60 * minute;
const gate = "requireApproval: true";

const policy = flow(
  "policy",
  [{ id: "a", type: "noop" }],
  ["action_input -> a", "a -> done"],
  "approval_policy: always",
);
const gated = flow(
  "gated",
  [
    {
      id: "pay",
      type: "set",
      data: keep("{{action_input.who}}", `${gate}, approvalDescription: "Pay {{action_input.who}}"`),
    },
  ],
  ["action_input -> pay", "pay -> done"],
);
/** A gate beside a step that the test holds, beside a wait. */
const beside = flow(
  "beside",
  [
    { id: "held", type: "noop" },
    { id: "pay", type: "set", data: keep("x", `${gate}, continueOnFailure: true`) },
    { id: "rest", type: "wait", data: waitFor(30, "minutes") },
    { id: "all", type: "merge", data: "{mode: wait_for_all, inputs: 3}" },
  ],
  [
    "action_input -> held",
    "action_input -> pay",
    "action_input -> rest",
    "held -> all.input_0",
    "pay -> all.input_1",
    "rest -> all.input_2",
    "all -> done",
  ],
);

async function driver(workflows: string[], options = {}) {
  const runtime = await testRuntime(options);
  for (const workflow of workflows) await runtime.publish(workflow);
  return new RunDriver(runtime);
}

describe("the gate of a policy", () => {
  test("holds the run before anything, and lets it go on when it is approved", async () => {
    const d = await driver([policy]);
    const started = await d.test.post("/actions/policy/run", { input: { who: "ada@example.com" } });
    expect(started.body).toMatchObject({
      status: "waiting_for_approval",
      started_at: null,
      steps: [],
      approval: {
        status: "pending",
        step_id: null,
        inputs: { who: "[REDACTED_EMAIL]" },
        redacted_count: 1,
        decided_at: null,
      },
    });
    const id = String(started.body["run_id"]);
    expect(await d.journal(id)).toEqual([]);
    const decided = await d.decide(id, "approved", { comment: "mail bob@example.com" });
    expect(decided).toMatchObject({ status: 200, body: { run_id: id, status: "running", decision: "approved" } });
    expect(await d.read(id)).toMatchObject({
      status: "succeeded",
      approval: { status: "approved", comment: "mail [REDACTED_EMAIL]", decided_via: "api", user_id: "tester" },
    });
    expect(await d.audit()).toMatchObject([{ decision: "approved", run_id: id, decided_via: "api" }]);
  });

  test("cancels the run when it is rejected", async () => {
    const d = await driver([policy]);
    const id = await d.start("policy");
    expect((await d.decide(id, "rejected")).body).toMatchObject({ status: "cancelled", decision: "rejected" });
    expect(await d.read(id)).toMatchObject({ status: "cancelled", error: null, started_at: null, steps: [] });
    expect(await d.journal(id)).toEqual([]);
  });

  test("times the run out after an hour without a decision", async () => {
    const d = await driver([policy]);
    const id = await d.start("policy");
    expect((await d.after(hour - 1, id)).status).toBe("waiting_for_approval");
    expect(await d.after(1, id)).toMatchObject({
      status: "timed_out",
      error: { code: "APPROVAL_EXPIRED" },
      approval: { status: "expired", decided_via: "system", user_id: null },
    });
    expect(await d.audit()).toMatchObject([{ decision: "expired", run_id: id }]);
    expect((await d.decide(id, "approved")).body).toMatchObject({
      error: "Approval already resolved",
      code: "BAD_REQUEST",
    });
  });

  test("is no gate for a dry run", async () => {
    const d = await driver([policy]);
    const { body } = await d.test.post("/actions/policy/run", { input: {}, dry_run: true });
    expect(body).toMatchObject({ status: "succeeded", approval: null });
  });
});

describe("the gate of a node", () => {
  test("journals what is asked for, and runs the step with exactly that", async () => {
    const d = await driver([gated]);
    const id = await d.start("gated", { who: "ada@example.com" });
    expect(await d.read(id)).toMatchObject({
      status: "waiting_for_approval",
      approval: { step_id: "pay", description: "Pay [REDACTED_EMAIL]", redacted_count: 2, status: "pending" },
      steps: [{ step_id: "pay", status: "pending_approval" }],
    });
    await d.decide(id, "approved");
    expect(await d.read(id)).toMatchObject({
      status: "succeeded",
      steps: [{ output: { value: "[REDACTED_EMAIL]" } }, {}],
    });
    expect(await d.journal(id)).toEqual([
      "step_pending_approval pay",
      "step_started pay",
      "step_completed pay",
      "step_started done",
      "step_completed done",
    ]);
  });

  test("rejected: what runs beside it is aborted in the commit that cancels the run", async () => {
    const { catalogue } = heldCatalogue();
    const d = await driver([beside], { catalogue });
    const id = await d.start("beside");
    expect(await d.status(id)).toBe("waiting_for_approval");
    await d.decide(id, "rejected");
    const run = await d.read(id);
    expect(run).toMatchObject({ status: "cancelled", error: null, approval: { status: "rejected" } });
    expect(run.steps.map(({ step_id, status, error }) => [step_id, status, error?.details?.["aborted"]])).toEqual([
      ["held", "failed", true],
      ["rest", "failed", true],
      ["pay", "failed", true],
    ]);
    expect(await d.test.store.listRunDue(id)).toEqual([]);
  });

  test("expired: the step fails with APPROVAL_EXPIRED whatever continueOnFailure says", async () => {
    const d = await driver([beside]);
    const id = await d.start("beside");
    expect((await d.after(hour, id)).status).toBe("timed_out");
    const run = await d.read(id);
    expect(run).toMatchObject({ error: { code: "APPROVAL_EXPIRED", step_id: "pay" } });
    expect((await d.entries(id)).filter(({ error }) => error?.code === "APPROVAL_EXPIRED")).toMatchObject([
      { type: "step_failed", step_id: "pay" },
    ]);
  });

  test("in a loop asks once for each item, with the iteration", async () => {
    const loop = flow(
      "each",
      [
        { id: "over", type: "loop", data: `{items: "{{action_input.items}}"}` },
        { id: "pay", type: "set", data: keep("{{item}}", gate) },
      ],
      ["action_input -> over", "over.loop -> pay", "over.done -> done"],
    );
    const d = await driver([loop]);
    const id = await d.start("each", { items: ["a", "b"] });
    for (const [index, item] of ["a", "b"].entries()) {
      expect(await d.read(id)).toMatchObject({
        status: "waiting_for_approval",
        approval: { step_id: "pay", iteration: [index], inputs: { assignments: [{ value: item }] } },
      });
      await d.decide(id, "approved");
    }
    expect(await d.status(id)).toBe("succeeded");
    expect((await d.audit()).map(({ decision }) => decision)).toEqual(["approved", "approved"]);
  });

  test("queues behind another one, and its hour begins when it becomes first", async () => {
    const two = flow(
      "two",
      [
        { id: "b", type: "set", data: keep("b", gate) },
        { id: "a", type: "set", data: keep("a", gate) },
        { id: "both", type: "merge", data: "{mode: wait_for_all, inputs: 2}" },
      ],
      ["action_input -> a", "action_input -> b", "a -> both.input_0", "b -> both.input_1", "both -> done"],
    );
    const d = await driver([two]);
    const id = await d.start("two");
    const first = await d.read(id);
    expect(first.approval).toMatchObject({ step_id: "b", expires_at: "2026-01-15T11:00:00.000Z" });
    expect(await d.journal(id)).toEqual(["step_pending_approval b"]);
    d.test.clock.advance(50 * minute);
    await d.decide(id, "approved", { approval_id: first.approval?.id });
    expect((await d.read(id)).approval).toMatchObject({ step_id: "a", expires_at: "2026-01-15T11:50:00.000Z" });
    const late = await d.decide(id, "approved", { approval_id: first.approval?.id });
    expect(late).toMatchObject({ status: 400, body: { error: "Approval already resolved" } });
    await d.decide(id, "approved");
    expect(await d.status(id)).toBe("succeeded");
  });

  test("that was withdrawn because its loop failed is closed although the run goes on", async () => {
    const loop = flow(
      "failing",
      [
        { id: "over", type: "loop", data: `{items: "{{action_input.items}}", continueOnFailure: true}` },
        { id: "pay", type: "set", data: keep("{{item}}", gate) },
        { id: "rest", type: "wait", data: waitFor(1, "minutes") },
        { id: "stop", type: "stop_and_error", data: `{errorMessage: "no"}` },
      ],
      ["action_input -> over", "over.loop -> pay", "over.loop -> rest", "rest -> stop", "over.done -> done"],
    );
    const d = await driver([loop]);
    const id = await d.start("failing", { items: ["a"] });
    expect(await d.status(id)).toBe("waiting_for_approval");
    expect(await d.after(minute, id)).toMatchObject({
      status: "succeeded",
      approval: { status: "rejected", decided_via: "system" },
    });
    expect(await d.test.store.listRunDue(id)).toEqual([]);
  });
});

test("whoever waits for a paused run to change hears of another request, although its status stays the same", async () => {
  const loop = flow(
    "handed-on",
    [
      { id: "over", type: "loop", data: `{items: "{{action_input.items}}", continueOnFailure: true}` },
      { id: "pay", type: "set", data: keep("{{item}}", gate) },
      { id: "rest", type: "wait", data: waitFor(10, "seconds") },
      { id: "stop", type: "stop_and_error", data: `{errorMessage: "no"}` },
      { id: "other", type: "set", data: keep("x", gate) },
    ],
    [
      "action_input -> over",
      "over.loop -> pay",
      "over.loop -> rest",
      "rest -> stop",
      "over.done -> done",
      "action_input -> other",
    ],
  );
  const d = await driver([loop]);
  const id = await d.start("handed-on", { items: ["a"] });
  expect(await d.read(id)).toMatchObject({ status: "waiting_for_approval", approval: { step_id: "pay" } });
  const heard = d.test.get(`/runs/${id}?wait=60`);
  await d.test.settled();
  // The loop fails and takes its request along; the next one is made in the same commit, long before the 60 s.
  d.test.clock.advance(10_000);
  expect((await heard).body).toMatchObject({
    status: "waiting_for_approval",
    approval: { step_id: "other", status: "pending" },
  });
});

describe("status", () => {
  test("is what the contract says for every mix of gate, wait and running branch", async () => {
    const { catalogue, letGo } = heldCatalogue();
    for (let mix = 1; mix < 8; mix += 1) {
      const parts = [
        ...(mix & 1 ? [{ id: "pay", type: "set", data: keep("x", gate) }] : []),
        ...(mix & 2 ? [{ id: "rest", type: "wait", data: waitFor(30, "minutes") }] : []),
        ...(mix & 4 ? [{ id: "held", type: "noop" }] : []),
      ];
      const d = await driver(
        [flow("mix", [...parts], ["action_input -> done", ...parts.flatMap(({ id }) => [`action_input -> ${id}`])])],
        { catalogue },
      );
      const id = await d.start("mix");
      expect([mix, await d.status(id)]).toEqual([
        mix,
        mix & 1 ? "waiting_for_approval" : mix & 4 ? "running" : "waiting",
      ]);
      if (mix & 1) await d.decide(id, "approved");
      expect([mix, await d.status(id)]).toEqual([mix, mix & 4 ? "running" : mix & 2 ? "waiting" : "succeeded"]);
      letGo();
      expect([mix, await d.status(id)]).toEqual([mix, mix & 2 ? "waiting" : "succeeded"]);
      expect([mix, (await d.after(30 * minute, id)).status]).toEqual([mix, "succeeded"]);
    }
  });
});

describe("a decision", () => {
  test("that comes while the run parks is not lost", async () => {
    const { catalogue, letGo } = heldCatalogue();
    const two = flow(
      "parking",
      [
        { id: "held", type: "noop" },
        { id: "pay", type: "set", data: keep("x", gate) },
      ],
      ["action_input -> held", "action_input -> pay", "held -> done", "pay -> done"],
    );
    const d = await driver([two], { catalogue });
    for (let ticks = 0; ticks < 40; ticks += 1) {
      const id = await d.start("parking");
      letGo();
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      expect((await d.decide(id, "approved")).status).toBe(200);
      expect([ticks, await d.status(id)]).toEqual([ticks, "succeeded"]);
    }
  });

  test.each([
    ["no run", "00000000-0000-7000-8000-000000000000", { decision: "approved" }, 404, "RUN_NOT_FOUND"],
    ["a word that is none", null, { decision: "maybe" }, 400, "BAD_REQUEST"],
    [
      "another request",
      null,
      { decision: "approved", approval_id: "00000000-0000-7000-8000-000000000000" },
      400,
      "BAD_REQUEST",
    ],
  ])("on %s is refused", async (_, run, body, status, code) => {
    const d = await driver([policy]);
    const id = await d.start("policy");
    expect(await d.test.post(`/runs/${run ?? id}/approve`, body)).toMatchObject({ status, body: { code } });
    expect(await d.status(id)).toBe("waiting_for_approval");
  });

  test("on a run that never asked says so", async () => {
    const d = await driver([flow("plain", [], ["action_input -> done"])]);
    const id = await d.start("plain");
    expect((await d.decide(id, "approved")).body).toMatchObject({ error: "Run is not waiting for approval" });
  });

  test.each(["approved", "rejected"])(
    "that %s a request after its hour is too late, also after the machine slept",
    async (word) => {
      const d = await driver([policy, gated]);
      for (const slug of ["policy", "gated"]) {
        const id = await d.start(slug);
        // The wall clock is an hour on, and no timer has rung.
        d.test.clock.jump(hour);
        const late = await d.decide(id, word);
        expect([late.status, late.body]).toEqual([400, { error: "Approval already resolved", code: "BAD_REQUEST" }]);
        expect(await d.read(id)).toMatchObject({
          status: "timed_out",
          approval: { status: "expired", decided_via: "system" },
        });
      }
      expect((await d.audit()).map(({ decision }) => decision)).toEqual(["expired", "expired"]);
    },
  );

  test("needs its scope", async () => {
    const d = await driver([policy]);
    const id = await d.start("policy");
    const { secret } = await d.test.mintKey(["actions:run", "runs:read"]);
    expect((await d.test.post(`/runs/${id}/approve`, { decision: "approved" }, secret)).status).toBe(403);
  });

  test("has exactly one winner among 64, in every round", { timeout: 60_000 }, async () => {
    const d = await driver([gated, policy], {
      limits: { runsPerHour: 1000, requestsPerMinute: { free: 1, starter: 1, pro: 1, business: 1e6 } },
    });
    const rounds = Number(process.env["STEPGATE_DECIDERS"] ?? 20);
    for (let round = 0; round < rounds; round += 1) {
      const id = await d.start(round % 2 ? "gated" : "policy");
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, n) => d.decide(id, (n + round) % 3 ? "approved" : "rejected")),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      for (const { status, body } of answers)
        if (status !== 200) expect(body).toMatchObject({ error: "Approval already resolved" });
      const run = await d.read(id);
      expect(run.approval?.status).toBe(won[0]?.body.decision);
      expect(run.status).toBe(won[0]?.body.decision === "approved" ? "succeeded" : "cancelled");
    }
    expect(await d.audit()).toHaveLength(rounds);
  });
});
