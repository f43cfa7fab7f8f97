import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client } from "../../src/cli/client.ts";
import { exitCodes, signalExitCodes } from "../../src/cli/exit-codes.ts";
import type { RunList } from "../../src/contract/run.ts";
import { launcher, stepgate } from "../support/command-line.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { broken, greet } from "./workflows.ts";

const gated = `
name: Gated
slug: gated
nodes:
  - {id: action_input, type: action_input, data: {properties: []}}
  - {id: pay, type: set, data: {requireApproval: true, assignments: [{id: a, key: x, value: "1"}]}}
  - {id: done, type: return_output, data: {}}
edges: [action_input -> pay, pay -> done]
`;

const daemon = new DaemonProcess();
const client = new Client({ socketPath: join(daemon.home, "control.sock") }, { signal: new AbortController().signal });
let secret = "";
/** Answers everything with this. */
const refusing = createServer((_, response) => {
  response
    .writeHead(refusal.status, { "retry-after": "3000" })
    .end(JSON.stringify({ error: "No.", code: refusal.code }));
});
const refusal = { status: 429, code: "RATE_LIMIT_EXCEEDED" };
let refusingUrl = "";

beforeAll(async () => {
  // Long enough to see a request pending, short enough to wait for its end.
  await daemon.start({ STEPGATE_LIMITS_APPROVAL_EXPIRY_SECONDS: "2" });
  mkdirSync(join(daemon.home, "flows"));
  for (const [name, text] of Object.entries({ greet, broken }))
    writeFileSync(join(daemon.home, `flows/${name}.yaml`), text);
  daemon.command("publish", join(daemon.home, "flows"));
  writeFileSync(join(daemon.home, "broken.yaml"), "name: X\nnodes: []\nedges: []\n");
  secret = daemon.prepare(gated, "--scope", "runs:read");
  refusing.listen(0, "127.0.0.1");
  await once(refusing, "listening");
  refusingUrl = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
});
afterAll(async () => {
  refusing.close();
  await daemon.stop();
});

/** The one run that waits for an approval. */
async function pendingRun(): Promise<string> {
  for (;;) {
    const { runs } = await client.get<RunList>("/api/v1/runtime/runs", { needs_approval: "true" });
    if (runs[0]) return runs[0].run_id;
  }
}

const here = async (...args: string[]) => (await stepgate(daemon.home, args)).code;
const remote = async (url: string, ...args: string[]) =>
  (await stepgate(daemon.home, [...args, "--url", url], { env: { STEPGATE_API_KEY: secret } })).code;
const waiting = ["run", "gated", "--wait", "--on-approval", "wait"];

/** As a shell tells a process that a signal ended. */
async function signalled(signal: NodeJS.Signals, number: number): Promise<number> {
  const child = spawn(launcher, waiting, { env: { ...process.env, STEPGATE_HOME: daemon.home }, stdio: "ignore" });
  const run = await pendingRun();
  child.kill(signal);
  const [code, ended] = await once(child, "exit");
  expect((await client.get<{ status: string }>(`/api/v1/runtime/runs/${run}`)).status).toBe("waiting_for_approval");
  await client.post(`/api/v1/runtime/runs/${run}/cancel`);
  return ended === signal ? 128 + number : Number(code);
}

/** One way to get each code of cli.md's table. */
const ways: Record<number, () => Promise<number>> = {
  0: async () => here("run", "greet", "-i", "name=Ada", "--wait"),
  1: async () => {
    Object.assign(refusal, { status: 500, code: "INTERNAL_ERROR" });
    return remote(refusingUrl, "runs", "list");
  },
  2: async () => here("runs", "list", "--nope"),
  3: async () => remote("http://127.0.0.1:1", "runs", "list"),
  4: async () => remote(daemon.url, "actions", "list"),
  5: async () => here("actions", "show", "nope"),
  6: async () => {
    Object.assign(refusal, { status: 409, code: "ACTION_UNAVAILABLE" });
    return remote(refusingUrl, "run", "greet");
  },
  7: async () => here("publish", "--check", join(daemon.home, "broken.yaml")),
  8: async () => {
    Object.assign(refusal, { status: 429, code: "RATE_LIMIT_EXCEEDED" });
    return remote(refusingUrl, "runs", "list");
  },
  10: async () => here("run", "broken", "-i", "name=x", "--wait"),
  11: async () => {
    const ended = here(...waiting);
    await client.post(`/api/v1/runtime/runs/${await pendingRun()}/cancel`);
    return ended;
  },
  12: async () => here(...waiting),
  13: async () => here("run", "gated", "--wait"),
  124: async () => here(...waiting, "--timeout", "100ms"),
  130: async () => signalled("SIGINT", 2),
  143: async () => signalled("SIGTERM", 15),
};

it("has a way to get every code of the table", () => {
  const table = [...Object.values(exitCodes), ...signalExitCodes].map(([code]) => code);
  expect(Object.keys(ways).map(Number)).toEqual(table);
});

it.each(Object.entries(ways))("%s", async (code, run) => {
  expect(await run()).toBe(Number(code));
  // The next one begins with nothing pending.
  const { runs } = await client.get<RunList>("/api/v1/runtime/runs", { needs_approval: "true" });
  for (const { run_id } of runs) await client.post(`/api/v1/runtime/runs/${run_id}/cancel`);
});
