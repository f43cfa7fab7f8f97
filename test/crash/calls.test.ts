import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { HttpService, json, until } from "../support/http-service.ts";
import { bearer } from "../support/runtime.ts";

function workflow(url: string): string {
  return `
name: Call
slug: call
nodes:
  - { id: action_input, type: action_input }
  - id: call
    type: connector
    data:
      connector: http
      operation: request
      maxRetries: 1
      input: { method: "{{action_input.method}}", url: "${url}/{{action_input.path}}" }
  - { id: return_output, type: return_output }
edges: [action_input -> call, call -> return_output]
`;
}

it("a daemon that is killed in the middle of calls repeats those that may be repeated, and none of the others", async () => {
  const service = await HttpService.start();
  // Each path is called once before the daemon dies: one is refused and backs off, the others are never answered.
  service.answer = (request, response, socket) => {
    if (request.url === "/backing-off") json(500, {})(request, response, socket);
  };
  const daemon = new DaemonProcess();
  onTestFinished(async () => {
    await daemon.stop();
    rmSync(daemon.home, { recursive: true, force: true });
  });
  const env = { STEPGATE_EGRESS_ALLOW: service.place, STEPGATE_RETRIES_BASE_MS: "3000" };
  await daemon.start(env);
  const key = daemon.prepare(workflow(service.url));
  const ask = async <Body>(path: string, init: RequestInit = {}): Promise<Body> => {
    const response = await fetch(`${daemon.url}/api/v1/runtime${path}`, { ...init, headers: bearer(key) });
    return (await response.json()) as Body;
  };
  const start = async (method: string, path: string): Promise<string> => {
    const body = JSON.stringify({ input: { method, path } });
    return (await ask<{ run_id: string }>("/actions/call/run", { method: "POST", body })).run_id;
  };
  const unsafe = await start("POST", "unsafe");
  const idempotent = await start("PUT", "idempotent");
  const backingOff = await start("POST", "backing-off");
  await until(() => service.requests.length === 3);
  // The failed attempt's end is durable within milliseconds; its retry is not due for a second and a half.
  await setTimeout(300);
  await daemon.kill();
  service.answer = json(200, { done: true });
  await daemon.start(env);

  const end = async (id: string) => ask<RunDetail>(`/runs/${id}?wait=20`);
  expect(await end(unsafe)).toMatchObject({
    status: "failed",
    error: { code: "UNKNOWN", step_id: "call", details: { in_doubt: true } },
  });
  expect(await end(idempotent)).toMatchObject({ status: "succeeded", output: { body: { done: true } } });
  expect(await end(backingOff)).toMatchObject({ status: "succeeded", output: { body: { done: true } } });
  const calls = service.requests.map(({ url, headers }) => `${url} ${String(headers["idempotency-key"])}`);
  expect(calls.toSorted()).toEqual(
    [
      `/unsafe ${unsafe}:call`,
      `/idempotent ${idempotent}:call`,
      `/idempotent ${idempotent}:call`,
      `/backing-off ${backingOff}:call`,
      `/backing-off ${backingOff}:call`,
    ].toSorted(),
  );
}, 120_000);
