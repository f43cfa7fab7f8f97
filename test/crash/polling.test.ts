import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { stringify } from "yaml";
import { Client } from "../../src/cli/client.ts";
import type { RunList } from "../../src/contract/run.ts";
import type { TriggerDetail } from "../../src/contract/trigger.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { Desk, deskManifest, ticketWorkflow } from "../support/feed.ts";
import { HttpService, until } from "../support/http-service.ts";

/** A commit takes this long, as on a slow disk, so that a kill can fall between a service's answer and the commit. */
const slowCommit = { STEPGATE_CRASH_POINT: "commit.before=400" };

let daemon: DaemonProcess;

afterEach(async () => {
  await daemon.stop();
  rmSync(daemon.home, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const file = join(daemon.home, name);
  writeFileSync(file, text);
  return file;
}

async function countRuns(): Promise<number> {
  return (await ask<RunList>("GET", "/api/v1/runtime/runs?limit=100")).runs.length;
}

test(
  "a daemon that is killed between an answer of a polled service and its commit tells each event once",
  { timeout: 120_000 },
  async () => {
    const service = await HttpService.start();
    const desk = new Desk(service);
    daemon = await new DaemonProcess().start();
    daemon.command("connectors", "build", write("desk.yaml", stringify(deskManifest({ baseUrl: service.url }))));
    const secrets = write("secrets.json", JSON.stringify({ token: "t" }));
    const settings = JSON.stringify({ allowPrivateNetwork: true });
    daemon.command("connections", "add", "desk", "--name", "mine", "--settings", settings, "--secrets", `@${secrets}`);
    await ask("POST", "/control/publish", { files: [{ file: "tickets.yaml", text: ticketWorkflow() }] });
    expect(service.requests).toHaveLength(1);
    await ask("POST", "/control/triggers/Tickets/disable");
    await daemon.stop();
    desk.add(3);
    await daemon.start(slowCommit);
    // Polled at once when it is resumed; the command hears of it too late.
    const killed = until(() => service.requests.length === 2).then(async () => {
      await sleep(150);
      await daemon.kill();
    });
    await Promise.all([killed, ask("POST", "/control/triggers/Tickets/enable").catch(() => null)]);
    await daemon.start();
    await until(() => service.requests.length >= 3);
    await until(async () => (await countRuns()) > 0);
    expect(service.requests[2]?.url).toBe(service.requests[1]?.url);
    expect(await countRuns()).toBe(3);
    const trigger = await ask<TriggerDetail>("GET", "/control/triggers/Tickets");
    expect(trigger.feed).toMatchObject({ cursor: { last: 3 }, last_error: null });
  },
);

/** Unlike `daemon.command` it lets the service answer meanwhile. Rejects when the daemon goes away. */
async function ask<Body>(method: "GET" | "POST", path: string, body?: object): Promise<Body> {
  const { socket } = resolveHome({ STEPGATE_HOME: daemon.home });
  const client = new Client({ socketPath: socket }, { signal: new AbortController().signal });
  return method === "GET" ? client.get<Body>(path) : client.post<Body>(path, body);
}
