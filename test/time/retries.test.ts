import { expect, test } from "vitest";
import { heldCatalogue } from "../support/held-node.ts";
import { RunDriver } from "../support/run-driver.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow } from "../support/time-workflows.ts";

/** Its step ends only when the test lets it: else its watchdog fires, which is worth another attempt. */
const retried = flow(
  "retried",
  [{ id: "held", type: "noop", data: "{maxRetries: 2}" }],
  ["action_input -> held", "held -> done"],
);
const timeout = 30_000;

async function driver() {
  const { catalogue, letGo } = heldCatalogue();
  const runtime = await testRuntime({ catalogue });
  await runtime.publish(retried);
  return { d: new RunDriver(runtime), letGo };
}

test("a failed attempt is made again after its back-off, as often as maxRetries says", async () => {
  const { d } = await driver();
  const id = await d.start("retried");
  // The random half of a second, then of two: 750 and 1500 ms.
  for (const [attempt, backOff] of [750, 1500].entries()) {
    expect((await d.after(timeout, id)).steps).toMatchObject([{ status: "running", attempt: attempt + 1 }]);
    expect((await d.after(backOff - 1, id)).steps).toMatchObject([{ attempt: attempt + 1 }]);
    const run = await d.after(1, id);
    expect(run).toMatchObject({ status: "running", steps: [{ attempt: attempt + 2, error: { code: "TIMEOUT" } }] });
  }
  expect(await d.after(timeout, id)).toMatchObject({
    status: "timed_out",
    steps: [{ status: "timed_out", attempt: 3 }],
  });
  expect(await d.journal(id)).toEqual([
    "step_started held",
    "step_started held",
    "step_started held",
    "step_timed_out held",
  ]);
});

test("a run that backs off is running, and succeeds with a later attempt", async () => {
  const { d, letGo } = await driver();
  const id = await d.start("retried");
  expect((await d.after(timeout, id)).status).toBe("running");
  await d.after(1000, id);
  letGo();
  expect(await d.read(id)).toMatchObject({ status: "succeeded", steps: [{ attempt: 2, error: null }, {}] });
});

test("a retry outlives a restart: the attempt that failed is not in doubt and not made twice", async () => {
  const { d, letGo } = await driver();
  const id = await d.start("retried");
  expect((await d.after(timeout, id)).steps).toMatchObject([{ attempt: 1 }]);
  await d.test.restart();
  // Nothing runs that could be let go.
  await d.test.settled();
  letGo();
  expect(await d.read(id)).toMatchObject({ status: "running", steps: [{ attempt: 1 }] });
  expect((await d.after(1000, id)).steps).toMatchObject([{ attempt: 2, error: { code: "TIMEOUT" } }]);
  letGo();
  expect(await d.status(id)).toBe("succeeded");
});

test("a run that backs off can be cancelled", async () => {
  const { d } = await driver();
  const id = await d.start("retried");
  await d.after(timeout, id);
  expect((await d.test.post(`/runs/${id}/cancel`)).body).toMatchObject({ status: "cancelled" });
  expect(await d.test.store.listRunDue(id)).toEqual([]);
});
