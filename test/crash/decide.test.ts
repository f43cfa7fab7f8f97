import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { flow, keep } from "../support/time-workflows.ts";

/** A commit takes this long, as on a slow disk, so that a kill can fall before, into and after the decision's. */
const slowCommit = { STEPGATE_CRASH_POINT: "commit.before=40" };
const rounds = Number(process.env["STEPGATE_KILLS"] ?? 2);

const gated = flow(
  "gated",
  [{ id: "pay", type: "set", data: keep("x", "requireApproval: true") }],
  ["action_input -> pay", "pay -> done"],
);

let daemon: DaemonProcess;
let key = "";

beforeAll(async () => {
  daemon = await new DaemonProcess().start(slowCommit);
  key = daemon.prepare(gated);
});
afterAll(async () => {
  await daemon.stop();
  rmSync(daemon.home, { recursive: true, force: true });
});

async function call<Body>(path: string, body?: unknown): Promise<Body> {
  const answer = await fetch(`${daemon.url}/api/v1/runtime${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Body;
}

async function settledRun(id: string): Promise<RunDetail> {
  for (;;) {
    const run = await call<RunDetail>(`/runs/${id}`);
    if (run.status !== "accepted" && run.status !== "running") return run;
    await setTimeout(20);
  }
}

test("the command line decides what waits, lists it and tells who was faster", { timeout: 180_000 }, async () => {
  const [first, second] = [
    await call<RunDetail>("/actions/gated/run", { input: {} }),
    await call<RunDetail>("/actions/gated/run", { input: {} }),
  ];
  for (const { run_id: id } of [first, second]) await settledRun(id);
  const read = (...args: string[]) => JSON.parse(daemon.command(...args, "--json")) as Record<string, unknown>;
  expect(read("approvals", "list")).toMatchObject({
    total: 2,
    approvals: [{ run_id: second.run_id }, { run_id: first.run_id }],
  });
  expect(read("approve", first.run_id, "-m", "fine")).toMatchObject({ status: "running", decision: "approved" });
  expect(read("reject", second.run_id)).toMatchObject({ status: "cancelled" });
  expect(read("approvals", "show", first.run_id)).toMatchObject({
    status: "approved",
    comment: "fine",
    decided_via: "cli",
  });
  expect(read("audit", "list")).toMatchObject({
    entries: [{ decision: "rejected" }, { decision: "approved", comment: "fine" }],
  });
  expect(() => daemon.command("approve", second.run_id)).toThrow(expect.objectContaining({ status: 6 }));
  expect(() => daemon.command("cancel", second.run_id)).toThrow(expect.objectContaining({ status: 2 }));
});

test(
  "a decision and kill -9 at the same time: run and request agree, and an approved run goes on",
  { timeout: 60_000 + rounds * 60_000 },
  async () => {
    const decided: { id: string; decision: string; isAnswered: boolean }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const decisions = ["approved", "rejected", "approved", "rejected"];
      const runs = await Promise.all(decisions.map(async () => call<RunDetail>("/actions/gated/run", { input: {} })));
      await Promise.all(runs.map(async ({ run_id: id }) => settledRun(id)));
      const answers = runs.map(async ({ run_id: id }, index) => {
        const decision = decisions[index] ?? "approved";
        const answer = await call<{ decision?: string }>(`/runs/${id}/approve`, { decision }).catch(() => null);
        decided.push({ id, decision, isAnswered: answer?.decision === decision });
      });
      await setTimeout(round * 35);
      await daemon.kill();
      await Promise.all(answers);
      await daemon.start(slowCommit);
    }
    expect(decided).toHaveLength(4 * rounds);
    const agreed = {
      approved: "succeeded",
      rejected: "cancelled",
      pending: "waiting_for_approval",
      expired: "timed_out",
    };
    for (const { id, decision, isAnswered } of decided) {
      const { status, approval } = await settledRun(id);
      expect([id, status]).toEqual([id, agreed[approval?.status ?? "expired"]]);
      if (isAnswered) expect([id, approval?.status]).toEqual([id, decision]);
    }
    const { entries } = JSON.parse(daemon.command("audit", "list", "--limit", "1000", "--json")) as {
      entries: { run_id: string }[];
    };
    expect(new Set(entries.map((entry) => entry.run_id)).size).toBe(entries.length);
  },
);
