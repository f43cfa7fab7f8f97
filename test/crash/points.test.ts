import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { crashPoints } from "../../src/store/sqlite/crash-point.ts";
import { DaemonProcess } from "../support/daemon-process.ts";

const workflow = `name: Survive
slug: survive
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: n, type: integer, required: true}]}}
  - {id: keep, type: set, data: {assignments: [{id: a, key: n, value: "{{action_input.n}} ada@example.com"}]}}
  - {id: result, type: return_output, data: {properties: [{name: n, type: string, value: "{{keep.n}}"}]}}
edges: [action_input -> keep, keep -> result]
`;

const mostRuns = 200;
let daemon: DaemonProcess;

afterEach(async () => {
  await daemon.stop();
  rmSync(daemon.home, { recursive: true, force: true });
});

/** Starts runs, a few at once, until the daemon is gone; the ids of those that it acknowledged. */
async function startUntilGone(key: string): Promise<string[]> {
  const acknowledged: string[] = [];
  const client = async (): Promise<void> => {
    for (let n = 0; n < mostRuns; n += 1) {
      const answer = await fetch(`${daemon.url}/api/v1/runtime/actions/survive/run`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ input: { n } }),
      }).catch(() => null);
      if (!answer) return;
      const body = (await answer.json().catch(() => null)) as { run_id: string } | null;
      if (answer.status === 202 && body) acknowledged.push(body.run_id);
    }
  };
  await Promise.all([client(), client(), client()]);
  return acknowledged;
}

async function untilOver(key: string): Promise<void> {
  for (;;) {
    const headers = { authorization: `Bearer ${key}` };
    const totals = await Promise.all(
      ["accepted", "running"].map(async (status) => {
        const answer = await fetch(`${daemon.url}/api/v1/runtime/runs?limit=1&status=${status}`, { headers });
        return ((await answer.json()) as { total: number }).total;
      }),
    );
    if (totals.every((total) => total === 0)) return;
    await setTimeout(20);
  }
}

const env = { STEPGATE_LIMITS_RUNS_PER_HOUR: "1000000" };

test(
  "a daemon killed at each named point loses no acknowledged run and ends no step twice",
  { timeout: 600_000 },
  async () => {
    daemon = new DaemonProcess();
    // A new database is made and dies in its second migration; the next start makes the rest of it.
    await expect(daemon.start({ STEPGATE_CRASH_POINT: "migration.before-commit:2" })).rejects.toThrow("ended");
    let key = "";
    const acknowledged: string[] = [];
    // Each start takes up what the one before left.
    for (const point of crashPoints.filter((name) => /^(batch|operation|commit|settle)/.test(name))) {
      await daemon.start({ ...env, STEPGATE_CRASH_POINT: `${point}:40` });
      key ||= daemon.prepare(workflow);
      const started = await startUntilGone(key);
      expect([point, started.length < 3 * mostRuns]).toEqual([point, true]);
      acknowledged.push(...started);
      await daemon.stop();
    }
    await daemon.start({ ...env, STEPGATE_CRASH_POINT: "checkpoint.before" });
    await daemon.stop();
    await daemon.start(env);
    await untilOver(key);
    await daemon.stop();
    expect(acknowledged.length).toBeGreaterThan(40);
    const db = new Database(`${daemon.home}/stepgate.db`, { readonly: true });
    const succeeded = new Set(db.prepare<[], string>("SELECT uuid FROM runs WHERE status = 4").pluck().all());
    expect(acknowledged.filter((id) => !succeeded.has(id))).toEqual([]);
    const endedTwice = db.prepare(
      "SELECT id / 1048576 AS run, step_id FROM journal WHERE type = 1 GROUP BY 1, 2 HAVING COUNT(*) > 1",
    );
    expect(endedTwice.all()).toEqual([]);
    expect(db.prepare("SELECT COUNT(*) FROM runs WHERE status < 4").pluck().get()).toBe(0);
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    db.close();
  },
);
