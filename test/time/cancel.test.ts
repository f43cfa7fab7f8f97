import { describe, expect, test } from "vitest";
import { heldCatalogue } from "../support/held-node.ts";
import { RunDriver } from "../support/run-driver.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow, gated, policy, waitFor } from "../support/time-workflows.ts";

const held = flow("held", [{ id: "a", type: "noop" }], ["action_input -> a", "a -> done"]);
const waiting = flow(
  "waiting",
  [{ id: "rest", type: "wait", data: waitFor(1, "days") }],
  ["action_input -> rest", "rest -> done"],
);

describe("cancelling", () => {
  test.each([
    ["running", "held", ["step_started a", "step_failed a"]],
    ["waiting", "waiting", ["step_started rest", "step_waiting rest", "step_failed rest"]],
    ["waiting_for_approval", "gated", ["step_pending_approval pay", "step_failed pay"]],
    ["waiting_for_approval", "policy", []],
  ])("a run that is %s (%s) ends it and closes what is open", async (status, slug, journal) => {
    const { catalogue, letGo } = heldCatalogue();
    const d = new RunDriver(await testRuntime({ catalogue }));
    for (const workflow of [held, waiting, gated, policy]) await d.test.publish(workflow);
    const id = await d.start(slug);
    expect(await d.status(id)).toBe(status);
    const answer = await d.test.post(`/runs/${id}/cancel`);
    expect(answer).toMatchObject({ status: 200, body: { run_id: id, status: "cancelled", error: null, output: null } });
    if (status === "waiting_for_approval") {
      expect(answer.body["approval"]).toMatchObject({ status: "rejected", decided_via: "system" });
      expect(await d.audit()).toMatchObject([{ decision: "rejected", decided_via: "system" }]);
    }
    letGo();
    d.test.clock.advance(2 * 86_400_000);
    expect(await d.status(id)).toBe("cancelled");
    expect(await d.journal(id)).toEqual(journal);
    expect(await d.test.store.listRunDue(id)).toEqual([]);
    expect(await d.test.post(`/runs/${id}/cancel`)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  });

  test("an accepted run ends it before it begins", async () => {
    const { catalogue, letGo } = heldCatalogue();
    const d = new RunDriver(await testRuntime({ catalogue, limits: { maxActiveRuns: 1 } }));
    await d.test.publish(held);
    const [first, second] = [await d.start("held"), await d.start("held")];
    expect((await d.test.post(`/runs/${second}/cancel`)).body).toMatchObject({ status: "cancelled", started_at: null });
    letGo();
    expect([await d.status(first), await d.status(second)]).toEqual(["succeeded", "cancelled"]);
    expect(await d.journal(second)).toEqual([]);
  });

  test("an unknown run is not found", async () => {
    const d = new RunDriver(await testRuntime());
    expect((await d.test.post("/runs/00000000-0000-7000-8000-000000000000/cancel")).body).toMatchObject({
      code: "RUN_NOT_FOUND",
    });
  });
});
