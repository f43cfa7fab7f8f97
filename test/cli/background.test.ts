import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseLine } from "../../src/cli/daemon/log-lines.ts";
import { daemonEnvironment } from "../../src/cli/daemon/launch.ts";
import { atTerminal, launcher, stepgate } from "../support/command-line.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stepgate-background-"));
});
afterEach(async () => {
  if (existsSync(join(home, "daemon.json"))) await stepgate(home, ["stop", "--timeout", "1s", "--force"]);
  rmSync(home, { recursive: true, force: true });
});

/** Long, for a machine that has much else to do. */
const patience = ["--wait-ready", "60s"];

async function started(...args: string[]) {
  const { code, stdout, stderr } = await stepgate(home, ["start", ...patience, "--json", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as { url: string; pid: number; started: boolean; log: string; key_file?: string };
}

it("a daemon lives on in the background with an open umask and a key in a file, restarts at its address and stops", async () => {
  const keyFile = join(home, "agent.key");
  process.umask(0o000);
  const first = await started("--port", "0", "--key-out", keyFile).finally(() => process.umask(0o022));
  expect(first).toMatchObject({ started: true, log: join(home, "daemon.log"), key_file: keyFile });
  const open = readdirSync(home).filter((name) => (statSync(join(home, name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  expect((statSync(home).mode & 0o777).toString(8)).toBe("700");
  const headers = { authorization: `Bearer ${readFileSync(keyFile, "utf8").trim()}` };
  expect((await fetch(`${first.url}/api/v1/runtime/runs`, { headers })).status).toBe(200);
  expect(readFileSync(first.log, "utf8")).not.toContain(readFileSync(keyFile, "utf8").trim());

  expect(await started()).toMatchObject({ started: false, pid: first.pid });
  const again = await stepgate(home, ["start", "--key-out", keyFile]);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("not overwritten")]);

  const restarted = JSON.parse((await stepgate(home, ["restart", "--json"])).stdout);
  expect(restarted).toMatchObject({ restarted: true, url: first.url });
  expect(restarted.pid).not.toBe(first.pid);

  const { stdout } = await stepgate(home, ["logs", "--json"]);
  const lines: { msg: string }[] = JSON.parse(stdout).lines;
  expect(lines.map(({ msg }) => msg)).toEqual([
    "Stepgate is ready",
    "Stepgate is stopping",
    "Stepgate has stopped",
    "Stepgate is ready",
  ]);
  expect(await stepgate(home, ["stop", "--json"])).toMatchObject({ code: 0, stdout: '{"running":false}\n' });
  expect((await stepgate(home, ["status"])).code).toBe(3);
}, 60_000);

it("a restart keeps the host and the port that the start was given, and reads what a file says anew", async () => {
  const restarted = async (...args: string[]) => {
    const { code, stdout, stderr } = await stepgate(home, ["restart", "--json", ...args]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
    return JSON.parse(stdout) as { url: string; given: object };
  };
  const first = await started("--host", "localhost", "--port", "0");
  const port = Number(new URL(first.url).port);
  expect(await restarted()).toMatchObject({ url: first.url, given: { host: "localhost", port } });
  const moved = { url: `http://127.0.0.1:${port}`, given: { host: "127.0.0.1", port } };
  expect(await restarted("--host", "127.0.0.1")).toMatchObject(moved);
  await stepgate(home, ["stop"]);
  const config = (host: string) => writeFileSync(join(home, "config.yaml"), `server: {host: ${host}, port: 0}\n`);
  config("localhost");
  const { url } = await started();
  config("127.0.0.1");
  expect((await restarted()).url).toBe(url.replace("localhost", "127.0.0.1"));
}, 60_000);

it("a restart waits for a connection that is slow to go, and for the lock that goes after it", async () => {
  const first = await started("--port", "0");
  const slow = connect(join(home, "control.sock"));
  slow.write("POST /control/publish HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n");
  try {
    const { code, stdout, stderr } = await stepgate(home, ["restart", "--json"]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("Another")]);
    expect(JSON.parse(stdout).pid).not.toBe(first.pid);
  } finally {
    slow.destroy();
  }
}, 60_000);

it("a second daemon on the same folder is refused within a second, with the name of the first", async () => {
  const { pid, url } = await started("--port", "0");
  const times: number[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const startedAt = performance.now();
    const { code, stderr } = await stepgate(home, ["serve", "--port", "0"]);
    times.push(performance.now() - startedAt);
    expect([code, stderr]).toEqual([6, expect.stringContaining(`Another Stepgate daemon (pid ${pid}, ${url}) uses`)]);
  }
  // The fastest of three: the machine may have much else to do.
  expect(Math.min(...times)).toBeLessThan(1000);
}, 60_000);

it("a daemon that was killed leaves neither its lock nor its socket in the way", async () => {
  const first = await started("--port", "0");
  process.kill(first.pid, "SIGKILL");
  const second = await started("--port", "0");
  expect(second.started).toBe(true);
  expect(second.pid).not.toBe(first.pid);
}, 60_000);

it("a start that fails ends at once with the exit code and the last words of the daemon, and not those of an earlier one", async () => {
  const holder = createServer((_, response) => response.end(JSON.stringify({ status: "ok", version: "7.7.7" })));
  await once(holder.listen(0, "127.0.0.1"), "listening");
  const { port } = holder.address() as AddressInfo;
  appendFileSync(join(home, "daemon.log"), '{"level":"info","msg":"an older line"}\n');
  try {
    const { code, stderr } = await stepgate(home, ["start", ...patience, "--port", String(port)]);
    expect(code).toBe(6);
    expect(stderr).toContain(
      `Port ${port} of 127.0.0.1 is in use by another Stepgate daemon (version 7.7.7): stop what listens there, ` +
        "or choose another with --port (0: any free one)",
    );
    expect(stderr).not.toContain("an older line");
  } finally {
    holder.close();
  }
}, 60_000);

it("logs are read over the files that were moved away, filtered, and made safe for a terminal", async () => {
  const line = (fields: object) => `${JSON.stringify(fields)}\n`;
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const log = join(home, "daemon.log");
  appendFileSync(`${log}.1`, line({ level: "warn", time: at(90), msg: "old" }));
  appendFileSync(log, line({ level: "info", time: at(5), msg: "fresh \u001b[31mred" }));
  appendFileSync(log, "Segmentation fault \u001b]0;x\u0007\n");
  appendFileSync(log, '{"level":"constructor","msg":"odd"}\n');
  const read = async (...args: string[]) => (await stepgate(home, ["logs", ...args])).stdout;
  const all = await read();
  expect(all.split("\n").map((text) => text.replace(/^\S+ \S+ (?=WARN|INFO)/, ""))).toEqual([
    "WARN  old",
    "INFO  fresh red",
    "ERROR Segmentation fault ",
    "CONSTRUCTOR odd",
    "",
  ]);
  expect(await read("-n", "1", "--level", "warn")).toBe("CONSTRUCTOR odd\n");
  expect(await read("--since", "1h", "--jsonl")).toMatch(/^\{[^\n]*fresh[^\n]*\}\n$/);
  expect(JSON.parse(await read("--json", "-n", "2")).lines[0].msg).toContain("Segmentation fault");
  expect(parseLine("[1,2]")).toMatchObject({ level: "error", msg: "[1,2]" });
});

it("logs that are followed go on with a file that takes the place of the one before", async () => {
  const { rename } = await import("node:fs/promises");
  const log = join(home, "daemon.log");
  const write = (msg: string) => appendFileSync(log, `${JSON.stringify({ level: "info", msg })}\n`);
  write("one");
  const child = spawn(launcher, ["logs", "-f", "--jsonl"], {
    env: { ...process.env, STEPGATE_HOME: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let seen = "";
  const until = async (text: string) => {
    while (!seen.includes(text)) seen += String((await once(child.stdout, "data"))[0]);
  };
  await until("one");
  write("two");
  await rename(log, `${log}.1`);
  write("three");
  await until("three");
  expect(seen.match(/one|two|three/g)).toEqual(["one", "two", "three"]);
  child.kill("SIGTERM");
  await once(child, "exit");
});

it("the daemon's environment has what it reads, and no key that was meant for a command", () => {
  const env = {
    PATH: "/bin",
    STEPGATE_HOME: "/h",
    STEPGATE_MASTER_KEY: "m",
    STEPGATE_API_KEY: "sgt_x",
    STEPGATE_URL: "http://x",
    AWS_SECRET_ACCESS_KEY: "s",
    NODE_OPTIONS: "--inspect",
    LC_ALL: "C",
  };
  expect(daemonEnvironment(env)).toEqual({
    PATH: "/bin",
    STEPGATE_HOME: "/h",
    STEPGATE_MASTER_KEY: "m",
    LC_ALL: "C",
  });
});

it("mcp stdio brings the daemon up with it, unless that is forbidden", async () => {
  const message = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;
  const env = { STEPGATE_API_KEY: "sgt_wrong", STEPGATE_PORT: "0" };
  const forbidden = await stepgate(home, ["mcp", "stdio"], {
    stdin: message,
    env: { ...env, STEPGATE_NO_AUTOSTART: "1" },
  });
  expect(forbidden.stdout).toContain("The daemon is not running");
  expect(existsSync(join(home, "stepgate.db"))).toBe(false);
  const { stdout } = await stepgate(home, ["mcp", "stdio"], { stdin: message, env });
  expect(stdout).toContain("Missing or invalid API key");
  expect((await stepgate(home, ["status"])).code).toBe(0);
}, 60_000);

it("at a terminal a command that finds no daemon asks whether to start one; status and stop answer for themselves", async () => {
  const socket = join(home, "nobody.sock");
  const asked = await atTerminal(socket, ["runs", "list"], { answer: "n" });
  expect(asked.code).toBe(3);
  expect(asked.stderr).toMatch(/The daemon is not running\. Start it\? \[Y\/n\][^]*start it with: stepgate start/);
  for (const command of ["status", "stop"]) {
    const { code, stderr } = await atTerminal(socket, [command]);
    expect([code, stderr]).toEqual([3, expect.not.stringContaining("[Y/n]")]);
  }
  const env = { NO_COLOR: "1", STEPGATE_NO_AUTOSTART: "1" };
  expect((await atTerminal(socket, ["runs", "list"], { env })).stderr).not.toContain("[Y/n]");
});
