import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client } from "../../src/cli/client.ts";
import type { DaemonStatus, PublishResult } from "../../src/contract/control.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import type { Issue } from "../../src/contract/workflow.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { startSandboxChild } from "../../src/daemon/sandbox/start-child.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { type Payload, payloads } from "../support/payloads.ts";

/** Times that each payload is run; STEPGATE_PAYLOADS=20 for the long test. */
const long = process.env["STEPGATE_PAYLOADS"];
const times = Number(long ?? 1);
const limitMs = long === undefined ? 3000 : 1000;
/** How late an end may be. The suite shares its processors with other tests; the long test is run by itself. */
const slackMs = long === undefined ? 15_000 : 200;

let daemon: DaemonProcess;
let client: Client;
let pid: number;
const open = new AbortController();

beforeAll(async () => {
  daemon = await new DaemonProcess().start({
    STEPGATE_LIMITS_STEP_TIMEOUT_SECONDS: String(limitMs / 1000),
    STEPGATE_LIMITS_RUNS_PER_HOUR: "1000000",
    STEPGATE_LIMITS_AUTO_PAUSE_AFTER: "0",
  });
  const { socket: socketPath } = resolveHome({ STEPGATE_HOME: daemon.home });
  client = new Client({ socketPath }, { signal: open.signal });
  await publish("probe", "export const run = () => 'fine'", retries);
  pid = await daemonPid();
}, 60_000);
afterAll(async () => {
  open.abort();
  await daemon.stop();
  rmSync(daemon.home, { recursive: true, force: true });
});

async function daemonPid(): Promise<number> {
  return (await client.get<DaemonStatus>("/control/status")).pid;
}

/** What is not meant to time out does so only on a machine that has no time for it. */
const retries = { maxRetries: 3 };

/** The issues of a script that is refused. */
async function publish(slug: string, code: string, settings: object): Promise<Issue[]> {
  const files = [{ file: `${slug}.json`, text: workflow(slug, { code, ...settings }) }];
  return (await client.post<PublishResult>("/control/publish", { files })).failed.flatMap(({ issues }) => issues);
}

function workflow(slug: string, data: object): string {
  return JSON.stringify({
    name: slug,
    slug,
    nodes: [
      { id: "action_input", type: "action_input", data: { properties: [] } },
      { id: "script", type: "code", data },
      { id: "result", type: "return_output", data: { properties: [] } },
    ],
    edges: ["action_input -> script", "script -> result"],
  });
}

async function runToEnd(slug: string): Promise<RunDetail> {
  const { run_id } = await client.post<RunDetail>(`/api/v1/runtime/actions/${slug}/run`, { input: {} });
  return client.get<RunDetail>(`/api/v1/runtime/runs/${run_id}`, { wait: 30 });
}

async function attack(slug: string, { fate }: Payload): Promise<void> {
  const { status, output, error, steps } = await runToEnd(slug);
  if ("output" in fate)
    expect({ status, output, error }).toEqual({ status: "succeeded", output: fate.output, error: null });
  else if ("message" in fate)
    expect(error).toMatchObject({ code: fate.code, message: expect.stringMatching(fate.message) });
  else if ("code" in fate && fate.code === "TIMEOUT") expect(error).toMatchObject({ code: "TIMEOUT" });
  const step = steps.find(({ step_id }) => step_id === "script");
  if (step?.attempt === 1) expect(step.duration_ms).toBeLessThan(limitMs + slackMs);
  expect(await runToEnd("probe")).toMatchObject({ status: "succeeded", output: "fine" });
}

it.each(payloads.map((payload, index) => [payload.name, payload, `payload-${index}`] as const))(
  "%s harms nobody else",
  { timeout: 60_000 + times * 5000 },
  async (_, payload, slug) => {
    const mayTimeOut = "code" in payload.fate && !("message" in payload.fate);
    const issues = await publish(slug, payload.code, mayTimeOut ? {} : retries);
    if ("refused" in payload.fate) {
      expect(issues).toEqual([expect.objectContaining({ message: expect.stringMatching(payload.fate.refused) })]);
    } else {
      expect(issues).toEqual([]);
      for (let time = 0; time < times; time += 1) await attack(slug, payload);
    }
    expect(await daemonPid()).toBe(pid);
  },
);

it.each(["for (;;);", "new Array(1e8).fill(1).map(String).join()", "const all = []; for (;;) all.push([])"])(
  "a process that runs %s is gone at once when it is told to stop",
  async (body) => {
    const child = startSandboxChild();
    const answer = child.run({ code: `export const run = () => { ${body} }`, input: "{}", now: 0 });
    await setTimeout(300);
    const stoppedAt = performance.now();
    child.stop();
    await answer;
    while (isAlive(child.pid)) await setTimeout(5);
    expect(performance.now() - stoppedAt).toBeLessThan(slackMs);
  },
);

function isAlive(id: number | undefined): boolean {
  try {
    return id !== undefined && process.kill(id, 0);
  } catch {
    return false;
  }
}
