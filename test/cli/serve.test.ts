import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { launcher, stepgate } from "../support/command-line.ts";

let home = "";
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "stepgate-serve-"));
});
afterAll(() => rmSync(home, { recursive: true }));

function launch(): ChildProcess {
  const env = { ...process.env, STEPGATE_HOME: home };
  return spawn(launcher, ["serve", "--port", "0"], { env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
}

/** A daemon that has said, with the first line of its log, that it is ready. */
async function serve(): Promise<ChildProcess> {
  const child = launch();
  if (child.stdout) await once(child.stdout, "data");
  return child;
}

it.each(["SIGINT", "SIGTERM"] as const)("%s drains and exits with 0", async (signal) => {
  const child = await serve();
  child.kill(signal);
  expect(await once(child, "exit")).toEqual([0, null]);
});

it("the log goes to stdout, an object a line, and stderr stays empty", async () => {
  const env = { ...process.env, STEPGATE_HOME: home };
  const child = spawn(launcher, ["serve", "--port", "0", "--log-format", "json", "--no-scheduler"], { env });
  const [log, errors, ended] = [text(child.stdout), text(child.stderr), once(child, "exit")];
  await vi.waitFor(async () => expect((await stepgate(home, ["status"])).code).toBe(0), { timeout: 20_000 });
  child.kill("SIGTERM");
  await ended;
  const lines = (await log).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).msg)).toContain("Stepgate is ready");
  expect(await errors).toBe("");
});

it("a daemon ends with the parent that holds its channel", async () => {
  const child = await serve();
  child.disconnect();
  expect(await once(child, "exit")).toEqual([0, null]);
});

it("stop waits until the daemon has ended", async () => {
  const child = await serve();
  const ended = once(child, "exit");
  expect(await stepgate(home, ["stop", "--json"])).toEqual({ code: 0, stdout: '{"running":false}\n', stderr: "" });
  expect((await stepgate(home, ["status"])).code).toBe(3);
  expect(await ended).toEqual([0, null]);
  expect((await stepgate(home, ["stop"])).code).toBe(3);
});

it("a daemon that can't start ends at once, also with a parent that waits for it", async () => {
  const first = await serve();
  expect(await once(launch(), "exit")).toEqual([6, null]);
  first.kill("SIGTERM");
  await once(first, "exit");
});

it("a second signal ends a drain that hangs at once, in the signal's own way", async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("stuck-daemon.ts", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  expect(String((await once(child.stdout, "data"))[0])).toBe("ready\n");
  child.kill("SIGTERM");
  expect(String((await once(child.stdout, "data"))[0])).toBe("draining\n");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
});

it("a setting that there isn't is told with the nearest name, exit 2", async () => {
  writeFileSync(join(home, "config.yaml"), "limits:\n  runsPerHuor: 5\n");
  const { code, stderr } = await stepgate(home, ["serve", "--port", "0"]);
  expect(code).toBe(2);
  expect(stderr).toContain("limits.runsPerHour");
  writeFileSync(join(home, "config.yaml"), "");
  expect((await stepgate(home, ["serve"], { env: { STEPGATE_PORT: "http" } })).code).toBe(2);
});
