import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";

/** A commit takes this long, as on a slow disk, so that a kill can fall between an answer and its commit. */
const slowCommit = { STEPGATE_CRASH_POINT: "commit.before=150" };
/** scripts/long-tests.ts kills more often. */
const rounds = Number(process.env["STEPGATE_KILLS"] ?? 1);

const workflow = `name: Survive
slug: survive
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: n, type: integer, required: true}]}}
  - {id: keep, type: set, data: {assignments: [{id: a, key: n, value: "{{action_input.n}}"}]}}
  - {id: result, type: return_output, data: {properties: [{name: n, type: integer, value: "{{keep.n}}"}]}}
edges: [action_input -> keep, keep -> result]
`;

let daemon: DaemonProcess;

afterEach(async () => {
  await daemon.stop();
  rmSync(daemon.home, { recursive: true, force: true });
});

async function call(key: string, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${daemon.url}/api/v1/runtime${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Starts runs until so many are acknowledged, kills the daemon at once, starts it again; the ids acknowledged. */
async function killAfterAnswers(key: string, count: number, eager: boolean): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => call(key, "POST", "/actions/survive/run", { input: { n } })),
  );
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 202));
  const runs = (await Promise.all(answers.map((answer) => answer.json()))) as { run_id: string }[];
  await daemon.kill();
  await daemon.start(slowCommit, eager);
  return runs.map((run) => run.run_id);
}

async function finalStatus(key: string, runId: string): Promise<string> {
  for (;;) {
    const answer = await call(key, "GET", `/runs/${runId}`);
    if (answer.status === 404) return "lost";
    const { status } = (await answer.json()) as { status: string };
    if (status !== "accepted" && status !== "running") return status;
    await setTimeout(50);
  }
}

test(
  "a run answered with 202 is completed after kill -9 and a restart",
  { timeout: 60_000 + rounds * 60_000 },
  async () => {
    daemon = await new DaemonProcess().start(slowCommit);
    const key = daemon.prepare(workflow);
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round += 1) acknowledged.push(...(await killAfterAnswers(key, 5, false)));
    const statuses = await Promise.all(acknowledged.map((id) => finalStatus(key, id)));
    expect(statuses).toEqual(acknowledged.map(() => "succeeded"));
  },
);

test(
  "the control that answers before the commit is seen to lose runs",
  { timeout: 60_000 + rounds * 60_000 },
  async () => {
    daemon = await new DaemonProcess().start(slowCommit, true);
    const key = daemon.prepare(workflow);
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round += 1) acknowledged.push(...(await killAfterAnswers(key, 5, true)));
    const statuses = await Promise.all(acknowledged.map((id) => finalStatus(key, id)));
    expect(statuses).toContain("lost");
  },
);
