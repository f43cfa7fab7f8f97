import { expect, it } from "vitest";
import type { BreakerList } from "../../src/contract/breaker.ts";
import { defaultOutside } from "../../src/contract/outside.ts";
import { stepgate } from "../support/command-line.ts";
import { HttpService, json } from "../support/http-service.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { bearer } from "../support/runtime.ts";

const workflow = `
name: Call
slug: call
nodes:
  - { id: action_input, type: action_input }
  - { id: call, type: connector, data: { connector: http, operation: request, input: { method: GET, url: "{{action_input.url}}" } } }
  - { id: return_output, type: return_output }
edges: [action_input -> call, call -> return_output]
`;

it("breakers are listed and reset, for people and for programs", { timeout: 60_000 }, async () => {
  const service = await HttpService.start(json(500, {}));
  const egress = { allow: [service.place], allowPrivateNetworks: false };
  const breaker = { ...defaultOutside.breaker, failures: 1 };
  const daemon = await liveDaemon({ outside: { ...defaultOutside, egress, breaker } });
  await daemon.publish(workflow);
  const headers = bearer(await daemon.mintKey());
  const body = JSON.stringify({ input: { url: service.url } });
  const { run_id: id } = await ask(`${daemon.url}/api/v1/runtime/actions/call/run`, { method: "POST", headers, body });
  expect(await ask(`${daemon.url}/api/v1/runtime/runs/${String(id)}?wait=20`, { headers })).toMatchObject({
    status: "failed",
  });
  const run = async (...args: string[]) => stepgate(daemon.folder, args);

  const listed = JSON.parse((await run("breakers", "list", "--json")).stdout) as BreakerList;
  expect(listed.breakers).toEqual([
    {
      connector: "http",
      connection_id: null,
      target: service.place,
      status: "open",
      failures: 0,
      opened_at: expect.any(String),
      trial_at: expect.any(String),
    },
  ]);
  expect((await run("breakers", "list")).stdout).toMatch(new RegExp(`^http\t\t${service.place}\topen\t0\t`));
  expect((await run("breakers", "list", "-q")).stdout).toBe(`http ${service.place}\n`);
  expect((await run("breakers", "reset", "http", "-q")).stdout).toBe(`http ${service.place}\n`);
  expect((await run("breakers", "list", "--json")).stdout.trim()).toBe('{"breakers":[]}');
});

async function ask(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  return (await (await fetch(url, init)).json()) as Record<string, unknown>;
}
