import type { ServerResponse } from "node:http";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { HttpService, until } from "../support/http-service.ts";

let daemon: DaemonProcess;
let service: HttpService;
/** Answers that the service has not given yet. */
let held: ServerResponse[] = [];
let key = "";

beforeEach(async () => {
  held = [];
  service = await HttpService.start((_, response) => void held.push(response));
});
afterEach(async () => {
  await daemon.kill().catch(() => undefined);
  rmSync(daemon.home, { recursive: true, force: true });
});

/** A daemon in a process of its own whose one workflow asks the service and then goes on. */
async function start(drainSeconds: number): Promise<void> {
  const input = { method: "GET", url: `${service.url}/slow` };
  const slow = { id: "slow", type: "connector", data: { connector: "http", operation: "request", input } };
  daemon = await new DaemonProcess().start(environment(drainSeconds));
  key = daemon.prepare(`name: Slow
slug: slow
nodes:
  - {id: action_input, type: action_input}
  - ${JSON.stringify(slow)}
  - {id: after, type: set, data: {assignments: [{id: a, key: ok, value: "{{slow.body.ok}}"}]}}
  - {id: result, type: return_output, data: {properties: [{name: ok, type: boolean, value: "{{after.ok}}"}]}}
edges: [action_input -> slow, slow -> after, after -> result]
`);
}

function environment(drainSeconds: number): Record<string, string> {
  return {
    STEPGATE_EGRESS_ALLOW: new URL(service.url).host,
    STEPGATE_SERVER_DRAIN_SECONDS: String(drainSeconds),
  };
}

async function call(path: string, body?: object): Promise<{ status: number; run: RunDetail }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${daemon.url}/api/v1/runtime${path}`, { headers, ...post });
  return { status: answer.status, run: (await answer.json()) as RunDetail };
}

async function startRun(): Promise<string> {
  const { run } = await call("/actions/slow/run", { input: {} });
  await until(() => held.length > 0);
  return run.run_id;
}

function answerAll(): void {
  for (const response of held.splice(0))
    response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
}

async function endOf(id: string): Promise<RunDetail> {
  for (;;) {
    const { run } = await call(`/runs/${id}`);
    if (run.status !== "running" && run.status !== "accepted") return run;
    await sleep(20);
  }
}

it("a daemon that is told to stop lets the step in progress end, starts no other, and the next start goes on after it", async () => {
  await start(30);
  const id = await startRun();
  const stopped = daemon.stop();
  await until(async () => !(await fetch(`${daemon.url}/readyz`).catch(() => null))?.ok);
  // Nobody is let in any more, and the control channel tells that it still runs.
  expect((await call("/actions/slow/run", { input: {} }).catch(() => ({ status: 0 }))).status).not.toBe(202);
  expect(JSON.parse(daemon.command("status", "--json"))).toMatchObject({ running: true, active_runs: 1 });
  answerAll();
  await stopped;
  await daemon.start(environment(30));
  expect(await endOf(id)).toMatchObject({ status: "succeeded", output: { ok: true } });
  expect(service.requests).toHaveLength(1);
});

it("a step that outlasts the drain does not hold the daemon up: the next start repeats what may be repeated", async () => {
  await start(1);
  const id = await startRun();
  const startedAt = performance.now();
  await daemon.stop();
  const seconds = (performance.now() - startedAt) / 1000;
  expect(seconds).toBeGreaterThan(0.9);
  expect(seconds).toBeLessThan(10);
  held = [];
  await daemon.start(environment(1));
  await until(() => held.length > 0);
  answerAll();
  expect(await endOf(id)).toMatchObject({ status: "succeeded", output: { ok: true } });
  expect(service.requests).toHaveLength(2);
});
