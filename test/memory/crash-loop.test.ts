import { expect, test } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import { noConfig, withNoop } from "../support/other-noop.ts";
import { openDisk, startRuntime } from "../support/process.ts";
import { flow, keep } from "../support/time-workflows.ts";

const started: string[] = [];
/** A `noop` that takes its process down: nothing comes after it. */
const catalogue = withNoop({
  config: noConfig,
  effects: () => "idempotent",
  async run({ run }) {
    started.push(run.id);
    return new Promise(() => undefined);
  },
});
const workflow = flow("flow", [{ id: "boom", type: "noop" }], ["action_input -> boom", "boom -> done"]);
const harmless = flow("fine", [{ id: "note", type: "set", data: keep("x") }], ["action_input -> note", "note -> done"]);

test("a run that takes the daemon down five times is given up, and other runs go on", async () => {
  const disk = await openDisk();
  const first = await startRuntime(disk.store, { catalogue });
  await first.publish(workflow);
  await first.publish(harmless);
  const { body } = await first.post<{ run_id: string }>("/actions/flow/run", {});
  await first.settled();
  for (let crash = 1; crash < 5; crash += 1) {
    // No process before this one was stopped in order: each is a crash.
    const next = await startRuntime(disk.store, { catalogue });
    await next.settled();
    expect((await next.get<RunDetail>(`/runs/${body.run_id}`)).body.status).toBe("running");
  }
  expect(started).toHaveLength(5);
  const last = await startRuntime(disk.store, { catalogue });
  await last.settled();
  const run = (await last.get<RunDetail>(`/runs/${body.run_id}`)).body;
  expect(run).toMatchObject({ status: "failed", error: { code: "UNKNOWN", details: { crash_loop: true } } });
  expect(started).toHaveLength(5);
  expect((await last.runToEnd("fine")).status).toBe("succeeded");
});
