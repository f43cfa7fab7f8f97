import { expect, test } from "vitest";
import { heldCatalogue } from "../support/held-node.ts";
import { RunDriver } from "../support/run-driver.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow, waitFor } from "../support/time-workflows.ts";

const single = flow("single", [{ id: "a", type: "noop" }], ["action_input -> a", "a -> done"], "concurrency: 1");
const free = flow("free", [], ["action_input -> done"]);
const resting = flow(
  "resting",
  [{ id: "rest", type: "wait", data: waitFor(1, "minutes") }],
  ["action_input -> rest", "rest -> done"],
  "concurrency: 1",
);

test("further runs of a bounded workflow stay accepted, in their order, and other workflows go on", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const d = new RunDriver(await testRuntime({ catalogue }));
  for (const workflow of [single, free]) await d.test.publish(workflow);
  const ids = [await d.start("single"), await d.start("single"), await d.start("single")];
  const statuses = async () => Promise.all(ids.map((id) => d.status(id)));
  expect(await statuses()).toEqual(["running", "accepted", "accepted"]);
  expect(await d.status(await d.start("free"))).toBe("succeeded");
  letGo();
  expect(await statuses()).toEqual(["succeeded", "running", "accepted"]);
  await d.test.post(`/runs/${ids[2]}/cancel`);
  letGo();
  expect(await statuses()).toEqual(["succeeded", "succeeded", "cancelled"]);
  const last = await d.start("single");
  expect(await d.status(last)).toBe("running");
  letGo();
  expect(await d.status(last)).toBe("succeeded");
});

test("a run that waits keeps its place, across a restart too", async () => {
  const d = new RunDriver(await testRuntime());
  await d.test.publish(resting);
  const [first, second] = [await d.start("resting"), await d.start("resting")];
  await d.test.restart();
  expect([await d.status(first), await d.status(second)]).toEqual(["waiting", "accepted"]);
  expect((await d.after(60_000, first)).status).toBe("succeeded");
  expect(await d.status(second)).toBe("waiting");
  expect((await d.after(60_000, second)).status).toBe("succeeded");
});
