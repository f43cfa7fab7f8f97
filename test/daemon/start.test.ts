import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { type DaemonStatus, daemonStatus } from "../../src/contract/control.ts";
import type { Home } from "../../src/contract/home.ts";
import type { MintedKey } from "../../src/contract/key.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { type StartOptions, startDaemon } from "../../src/daemon/start.ts";
import { greet } from "../support/workflows.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const newHome = () => resolveHome({ STEPGATE_HOME: temporaryFolder() });
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function start(home: Home, options: Partial<StartOptions> = {}) {
  const daemon = await startDaemon({
    home,
    host: "127.0.0.1",
    port: 0,
    version: "1.2.3",
    logLevel: "error",
    ...options,
  });
  onTestFinished(() => daemon.stop());
  return daemon;
}

/** A request over the control socket. */
async function control<Body>(home: Home, method: string, path: string, body?: unknown): Promise<Body> {
  const { promise, resolve, reject } = Promise.withResolvers<Body>();
  const sent = request({ socketPath: home.socket, method, path, agent: false }, (answer) =>
    resolve(json(answer) as Promise<Body>),
  );
  sent.on("error", reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** What the daemon answers to raw bytes. */
async function send(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  return text(socket);
}

it("a daemon is ready when it has started: its status, its files for this user alone, its runs over HTTP", async () => {
  const home = newHome();
  const daemon = await start(home);
  const status = daemonStatus.parse(await control(home, "GET", "/control/status"));
  expect(status).toMatchObject({
    url: daemon.url,
    pid: process.pid,
    version: "1.2.3",
    db: home.database,
    active_runs: 0,
  });
  expect(daemon.url).toBe(`http://127.0.0.1:${daemon.port}`);
  expect(JSON.parse(readFileSync(home.daemonFile, "utf8"))).toEqual({
    pid: process.pid,
    instance_id: status.instance_id,
    url: daemon.url,
    socket: home.socket,
    version: "1.2.3",
  });
  expect(modeOf(home.dataDir)).toBe("700");
  const open = readdirSync(home.dataDir).filter((file) => modeOf(join(home.dataDir, file)) !== "600");
  expect(open).toEqual([]);

  await control(home, "POST", "/control/publish", { files: [{ file: "greet.yaml", text: greet }] });
  const { secret } = await control<MintedKey>(home, "POST", "/control/keys", { name: "test" });
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const answer = await fetch(`${daemon.url}/api/v1/runtime/actions/greet/run?wait=20`, {
    method: "POST",
    headers,
    body: JSON.stringify({ input: { name: "Ada" } }),
  });
  expect(answer.status).toBe(202);
  const run = (await answer.json()) as { run_id: string };
  expect(run).toMatchObject({ status: "succeeded", output: { text: "Hello Ada" } });
  const stream = await fetch(`${daemon.url}/api/v1/runtime/runs/${run.run_id}/events`, {
    headers: { ...headers, accept: "text/event-stream" },
  });
  expect(await stream.text()).toMatch(/^event: step_started\nid: 1\n[^]*event: run\ndata: {[^\n]*"succeeded"}\n\n$/);
});

it("a home has one daemon at a time; the next one starts as soon as the first has stopped", async () => {
  const home = newHome();
  const first = await start(home);
  await expect(start(home)).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining(
      `Another Stepgate daemon (pid ${process.pid}, ${first.url}) uses ${home.dataDir}: stop`,
    ),
  });
  expect((await control<DaemonStatus>(home, "GET", "/control/status")).running).toBe(true);
  await first.stop();
  expect([existsSync(home.socket), existsSync(home.daemonFile)]).toEqual([false, false]);
  await start(home);
});

it("the control channel stops the daemon", async () => {
  const home = newHome();
  const daemon = await start(home);
  expect(await control(home, "POST", "/control/stop")).toEqual({ stopping: true });
  await daemon.stopped;
  await expect(control(home, "GET", "/control/status")).rejects.toThrow(/ENOENT|ECONNREFUSED/);
});

it("a database that comes without its master key gets a new one, and the log says what that means", async () => {
  const home = newHome();
  const logFile = join(home.dataDir, "test.log");
  const warnings = () => readFileSync(logFile, "utf8").match(/A new master key is made[^"]*and restart/g) ?? [];
  const first = await start(home, { logFile, logLevel: "warn" });
  expect(warnings()).toEqual([]);
  await first.stop();
  rmSync(home.masterKey);
  const second = await start(home, { logFile, logLevel: "warn" });
  expect(warnings()).toHaveLength(1);
  await second.stop();
  await start(home, { logFile, logLevel: "warn" });
  expect(warnings()).toHaveLength(1);
});

it("a port that is in use is named, and nothing is left behind", async () => {
  const [home, other] = [newHome(), newHome()];
  const { port } = await start(home);
  await expect(start(other, { port })).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining(`Port ${port} of 127.0.0.1 is in use`),
  });
  expect([existsSync(other.socket), existsSync(other.daemonFile)]).toEqual([false, false]);
  await start(other);
});

it("an address that is not of this machine is refused", async () => {
  await expect(start(newHome(), { host: "203.0.113.7" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
});

it("a socket file that a killed daemon left is no obstacle", async () => {
  const home = newHome();
  writeFileSync(home.socket, "");
  await start(home);
  expect((await control<DaemonStatus>(home, "GET", "/control/status")).running).toBe(true);
});

it("what is no proper request is answered in the shape of every error", async () => {
  const { port, url } = await start(newHome());
  const host = `Host: 127.0.0.1:${port}\r\n`;
  const body = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
  const error = { error: expect.any(String), code: "BAD_REQUEST" };
  expect(body(await send(port, "nonsense\r\n\r\n"))).toEqual(error);
  expect(body(await send(port, `GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`))).toEqual(error);
  const long = await send(port, `GET / HTTP/1.1\r\n${host}X-Long: ${"x".repeat(20_000)}\r\n\r\n`);
  expect(long).toMatch(/^HTTP\/1.1 431 /);
  const foreign = await send(port, `GET /healthz HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n`);
  expect(foreign).toMatch(/^HTTP\/1.1 403 /);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

it("a body over the limit is answered with 413 while it is still coming", async () => {
  const home = newHome();
  const { url } = await start(home);
  const { secret } = await control<MintedKey>(home, "POST", "/control/keys", { name: "test" });
  const post = (body: string | ReadableStream) =>
    fetch(`${url}/api/v1/runtime/actions/a/run`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}` },
      body,
      duplex: "half",
    });
  expect((await post("x".repeat(1024 * 1024 + 1))).status).toBe(413);
  let left = 32;
  const pull = (controller: ReadableStreamDefaultController) => {
    if ((left -= 1) === 0) controller.close();
    else controller.enqueue(new Uint8Array(64 * 1024));
  };
  expect((await post(new ReadableStream({ pull }))).status).toBe(413);
});
