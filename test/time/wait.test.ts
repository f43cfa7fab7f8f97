import { expect, test } from "vitest";
import { heldCatalogue } from "../support/held-node.ts";
import { RunDriver } from "../support/run-driver.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow, keep, waitFor } from "../support/time-workflows.ts";

const minute = 60_000;

const pause = flow(
  "pause",
  [
    { id: "rest", type: "wait", data: waitFor(10, "minutes") },
    { id: "after", type: "set", data: keep("{{rest.resumeAt}}") },
  ],
  ["action_input -> rest", "rest -> after", "after -> done"],
);

async function driver(workflows: string[], options = {}) {
  const runtime = await testRuntime(options);
  for (const workflow of workflows) await runtime.publish(workflow);
  return new RunDriver(runtime);
}

test("a Wait parks the run until its time and goes on by itself", async () => {
  const d = await driver([pause]);
  const id = await d.start("pause");
  expect(await d.read(id)).toMatchObject({ status: "waiting", output: null, completed_at: null });
  expect((await d.after(10 * minute - 1, id)).status).toBe("waiting");
  const run = await d.after(1, id);
  const resumeAt = "2026-01-15T10:10:00.000Z";
  expect(run).toMatchObject({ status: "succeeded", output: { ok: true } });
  expect(run.steps[0]).toMatchObject({ status: "completed", output: { resumeAt }, duration_ms: 600_000 });
  expect(run.steps[1]?.input).toMatchObject({ assignments: [{ value: resumeAt }] });
  expect(await d.journal(id)).toEqual([
    "step_started rest",
    "step_waiting rest",
    "step_completed rest",
    "step_started after",
    "step_completed after",
    "step_started done",
    "step_completed done",
  ]);
});

test("a parked run takes no place among those that execute", async () => {
  const d = await driver([pause], { limits: { maxActiveRuns: 1 } });
  const ids = [await d.start("pause"), await d.start("pause"), await d.start("pause")];
  for (const id of ids) expect(await d.status(id)).toBe("waiting");
  d.test.clock.advance(10 * minute);
  for (const id of ids) expect(await d.status(id)).toBe("succeeded");
});

test("until a time that has passed waits zero", async () => {
  const past = "{mode: until_time, until: 2020-01-01}";
  const d = await driver([
    flow("past", [{ id: "rest", type: "wait", data: past }], ["action_input -> rest", "rest -> done"]),
  ]);
  const id = await d.start("past");
  const run = await d.read(id);
  expect(run.status).toBe("succeeded");
  expect(run.steps[0]?.output).toEqual({ resumeAt: "2020-01-01T00:00:00.000Z" });
  expect((await d.journal(id)).slice(0, 3)).toEqual(["step_started rest", "step_waiting rest", "step_completed rest"]);
});

test("until a local time of a zone with summer time is that instant", async () => {
  const until = "{mode: until_time, until: '{{action_input.who}}'}";
  const night = flow("night", [{ id: "rest", type: "wait", data: until }], ["action_input -> rest", "rest -> done"]);
  const d = await driver([night], { now: "2026-03-28T23:30:00Z" });
  const id = await d.start("night", { who: "2026-03-29T03:15:00+02:00" });
  expect((await d.after(105 * minute - 1, id)).status).toBe("waiting");
  expect((await d.after(1, id)).status).toBe("succeeded");
});

test("a Wait in a loop waits once for each item", async () => {
  const loop = flow(
    "each",
    [
      { id: "over", type: "loop", data: `{items: "{{action_input.items}}"}` },
      { id: "rest", type: "wait", data: "{mode: duration, amount: '{{item}}', unit: seconds}" },
    ],
    ["action_input -> over", "over.loop -> rest", "over.done -> done"],
  );
  const d = await driver([loop]);
  const id = await d.start("each", { items: [10, "20"] });
  expect((await d.after(9_999, id)).steps.map(({ status }) => status)).toEqual(["running", "waiting"]);
  expect((await d.after(1, id)).steps.map(({ iteration, status }) => [iteration, status])).toEqual([
    [null, "running"],
    [[0], "completed"],
    [[1], "waiting"],
  ]);
  expect((await d.after(20_000, id)).status).toBe("succeeded");
});

test("a Wait over a change of the clocks takes the time that passes, and one until a local time ends at it", async () => {
  const nodes = [{ id: "rest", type: "wait", data: waitFor(24, "hours") }];
  const until = [{ id: "rest", type: "wait", data: '{mode: until_time, until: "2026-03-29T03:30:00+02:00"}' }];
  const edges = ["action_input -> rest", "rest -> done"];
  const now = "2026-03-28T12:00:00.000Z";
  const d = await driver([flow("day", nodes, edges), flow("night", until, edges)], { now });
  const [day, night] = [await d.start("day"), await d.start("night")];
  expect((await d.after(13.5 * 60 * minute - 1, night)).status).toBe("waiting");
  expect((await d.after(1, night)).status).toBe("succeeded");
  expect((await d.after(10.5 * 60 * minute - 1, day)).status).toBe("waiting");
  expect((await d.after(1, day)).status).toBe("succeeded");
});

test("branches beside a Wait go on, and two Waits resume each at its own time", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const nodes = [
    { id: "short", type: "wait", data: waitFor(1, "minutes") },
    { id: "long", type: "wait", data: waitFor(2, "minutes") },
    { id: "held", type: "noop" },
    { id: "next", type: "set", data: keep("{{short.resumeAt}}") },
    { id: "all", type: "merge", data: "{mode: wait_for_all, inputs: 3}" },
  ];
  const edges = [
    ...["short", "long", "held"].map((id) => `action_input -> ${id}`),
    "short -> next",
    "next -> all.input_0",
    "long -> all.input_1",
    "held -> all.input_2",
    "all -> done",
  ];
  const d = await driver([flow("beside", nodes, edges)], { catalogue, limits: { stepTimeoutSeconds: 900 } });
  const id = await d.start("beside");
  expect(await d.status(id)).toBe("running");
  expect((await d.after(minute, id)).steps.find(({ step_id }) => step_id === "next")?.status).toBe("completed");
  letGo();
  expect(await d.status(id)).toBe("waiting");
  expect((await d.after(minute, id)).status).toBe("succeeded");
});

test("the pipeline's time-out does not count the waiting", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const nodes = [
    { id: "rest", type: "wait", data: waitFor(1, "hours") },
    { id: "held", type: "noop" },
  ];
  const slow = flow("slow", nodes, ["action_input -> rest", "rest -> held", "held -> done"]);
  const d = await driver([slow], { catalogue, limits: { pipelineTimeoutSeconds: 60, stepTimeoutSeconds: 900 } });
  const [first, second] = [await d.start("slow"), await d.start("slow")];
  d.test.clock.advance(60 * minute);
  expect((await d.after(59_000, first)).status).toBe("running");
  letGo();
  expect(await d.status(first)).toBe("succeeded");
  expect(await d.status(second)).toBe("succeeded");
  const third = await d.start("slow");
  d.test.clock.advance(60 * minute);
  await d.test.settled();
  expect(await d.after(60_000, third)).toMatchObject({ status: "timed_out", error: { code: "TIMEOUT" } });
});
