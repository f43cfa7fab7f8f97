import { expect, test } from "vitest";
import { heldCatalogue } from "../support/held-node.ts";
import { RunDriver } from "../support/run-driver.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow, gated, keep, policy, waitFor } from "../support/time-workflows.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const long = flow(
  "long",
  [{ id: "rest", type: "wait", data: waitFor(30, "days") }],
  ["action_input -> rest", "rest -> done"],
);
const beside = flow(
  "beside",
  [
    { id: "held", type: "noop" },
    { id: "pay", type: "set", data: keep("x", "requireApproval: true") },
  ],
  ["action_input -> held", "action_input -> pay", "held -> done", "pay -> done"],
);

async function driver(workflows: string[], options = {}) {
  const runtime = await testRuntime(options);
  for (const workflow of workflows) await runtime.publish(workflow);
  return new RunDriver(runtime);
}

test("a Wait of 30 days outlives ten restarts and goes on once", async () => {
  const d = await driver([long]);
  const id = await d.start("long");
  for (let n = 0; n < 10; n += 1) {
    await d.test.restart(3 * day - minute);
    expect(await d.read(id)).toMatchObject({ status: "waiting" });
  }
  expect((await d.after(10 * minute - 1, id)).status).toBe("waiting");
  expect((await d.after(1, id)).status).toBe("succeeded");
  expect(await d.journal(id)).toEqual([
    "step_started rest",
    "step_waiting rest",
    "step_completed rest",
    "step_started done",
    "step_completed done",
  ]);
  expect(await d.test.store.findRun(1, id)).toMatchObject({ crashes: 0 });
});

test("a Wait that came due while nobody was there goes on at the start and keeps its time", async () => {
  const d = await driver([long]);
  const id = await d.start("long");
  await d.test.restart(40 * day);
  const run = await d.read(id);
  expect(run).toMatchObject({ status: "succeeded" });
  expect(run.steps[0]?.output).toEqual({ resumeAt: "2026-02-14T10:00:00.000Z" });
});

test("a request that expired while nobody was there is expired before anybody is let in", async () => {
  const d = await driver([gated, policy, beside]);
  const ids = [await d.start("gated"), await d.start("policy"), await d.start("beside")];
  await d.test.restart(hour);
  for (const id of ids) {
    expect(await d.test.store.findRun(1, id)).toMatchObject({ status: "timed_out" });
    expect((await d.decide(id, "approved")).body).toMatchObject({ error: "Approval already resolved" });
  }
  expect((await d.audit()).map(({ decision }) => decision)).toEqual(["expired", "expired", "expired"]);
});

test("a request outlives a restart, with what was asked for, and is decided after it", async () => {
  const d = await driver([gated, policy]);
  for (const slug of ["gated", "policy"]) {
    const id = await d.start(slug);
    const { approval } = await d.read(id);
    await d.test.restart(minute);
    expect((await d.read(id)).approval).toEqual(approval);
    await d.decide(id, "approved");
    expect(await d.status(id)).toBe("succeeded");
  }
});

test("an approval whose wake-up was lost is carried out at the next start", async () => {
  const d = await driver([gated, policy]);
  const ids = [await d.start("gated"), await d.start("policy")];
  for (const id of ids) {
    const { approval } = await d.read(id);
    const grant = { approvalId: approval?.id ?? "", userId: "ada", via: "api", comment: null } as const;
    expect(await d.test.store.grantApproval({ ...grant, at: d.test.clock.now().getTime() })).toBe(true);
    expect(await d.status(id)).toBe("running");
  }
  await d.test.restart();
  for (const id of ids) expect(await d.status(id)).toBe("succeeded");
});

test("a run that waits for approval beside a running step goes on with both after a restart", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const d = await driver([beside], { catalogue });
  const id = await d.start("beside");
  await d.test.restart(minute);
  expect(await d.status(id)).toBe("waiting_for_approval");
  await d.decide(id, "approved");
  expect(await d.status(id)).toBe("running");
  letGo();
  expect(await d.status(id)).toBe("succeeded");
});

test.each([[hour], [-hour], [30 * day]])(
  "a clock that jumps by %i ms loses no moment and passes none early",
  async (jump) => {
    const d = await driver([
      flow(
        "nap",
        [{ id: "rest", type: "wait", data: waitFor(10, "minutes") }],
        ["action_input -> rest", "rest -> done"],
      ),
      gated,
    ]);
    const [nap, request] = [await d.start("nap"), await d.start("gated")];
    d.test.clock.jump(jump);
    // Awake within a minute, whatever the clock did.
    const [expectedNap, expectedRequest] = jump < 0 ? ["waiting", "waiting_for_approval"] : ["succeeded", "timed_out"];
    expect((await d.after(minute, nap)).status).toBe(expectedNap);
    expect(await d.status(request)).toBe(expectedRequest);
    if (jump > 0) return;
    expect((await d.after(hour, nap)).status).toBe("waiting");
    expect((await d.after(9 * minute, nap)).status).toBe("succeeded");
    expect((await d.after(hour, request)).status).toBe("timed_out");
  },
);

test("a decision and the expiry of the same moment: the run agrees with the request", async () => {
  const d = await driver([gated, policy], { limits: { runsPerHour: 1000 } });
  for (let round = 0; round < 20; round += 1) {
    const id = await d.start(round % 2 ? "gated" : "policy");
    d.test.clock.advance(hour - 1);
    const deciding = d.decide(id, round % 4 < 2 ? "approved" : "rejected");
    d.test.clock.advance(round % 3);
    const { status } = await deciding;
    const run = await d.read(id);
    const agreed = {
      approved: "succeeded",
      rejected: "cancelled",
      expired: "timed_out",
      pending: "waiting_for_approval",
    };
    expect(run.status).toBe(agreed[run.approval?.status ?? "pending"]);
    expect(status === 200).toBe(run.approval?.status === "approved" || run.approval?.status === "rejected");
  }
});
