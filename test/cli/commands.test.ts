import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launcher, stepgate, type Ended } from "../support/command-line.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import * as workflows from "./workflows.ts";

const daemon = new DaemonProcess();
let folder = "";
let key = "";
const runs = new Map<string, string>();

const run = async (...args: string[]): Promise<Ended> => stepgate(daemon.home, args);

async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, "--json");
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  await daemon.start();
  folder = join(daemon.home, "flows");
  mkdirSync(join(folder, "deeper"), { recursive: true });
  for (const name of ["greet", "typed", "broken", "repeated"] as const) {
    writeFileSync(join(folder, name === "typed" ? "deeper" : ".", `${name}.yaml`), workflows[name]);
  }
  writeFileSync(join(folder, "README.txt"), "no workflow");
  writeFileSync(join(daemon.home, "faulty.yaml"), workflows.faulty);
  await json("publish", folder);
  key = (await json<{ secret: string }>("keys", "mint", "--name", "everything")).secret;
  for (const [slug, field] of [["greet", "name=Ada"], ["broken", "name=Eve"]] as const) {
    runs.set(slug, JSON.parse((await run("run", slug, "-i", field, "--wait", "--json")).stdout).run_id);
  }
});
afterAll(async () => daemon.stop());

describe("exit codes", () => {
  it.each<[code: number, args: string[]]>([
    [0, ["status"]],
    [2, ["run"]],
    [2, ["rn"]],
    [2, ["runs"]],
    [2, ["runs", "lst"]],
    [2, ["runs", "list", "--nope"]],
    [2, ["runs", "list", "--limit", "0"]],
    [2, ["runs", "list", "--status", "lost"]],
    [2, ["run", "greet", "--input", "{"]],
    [2, ["run", "greet", "-i", "name"]],
    [2, ["run", "greet", "--timeout", "1s"]],
    [2, ["publish", "missing.yaml"]],
    [2, ["keys", "mint"]],
    [2, ["keys", "mint", "--name", "x", "--scope", "nope"]],
    [2, ["keys", "revoke", "everything"]],
    [2, ["keys", "list", "--url", "http://127.0.0.1:1"]],
    [3, ["runs", "list", "--url", "http://127.0.0.1:1", "--key-file", "/dev/null/x"]],
    [5, ["run", "nope"]],
    [5, ["actions", "show", "nope"]],
    [5, ["runs", "show", "71be90d4-0000-7000-8000-000000000000"]],
    [5, ["keys", "revoke", "nope", "--yes"]],
    [7, ["run", "greet"]],
    [10, ["run", "broken", "-i", "name=x", "--wait"]],
  ])("%i: stepgate %j", async (code, args) => {
    const ended = await run(...args);
    expect([ended.code, ended.stderr === ""]).toEqual([code, code === 0]);
  });

  it("3: no daemon", async () => {
    const ended = await stepgate(join(daemon.home, "elsewhere"), ["runs", "list"]);
    expect(ended).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("stepgate serve") });
  });

  it("6: a second daemon on the same data, and a port that is taken", async () => {
    const second = await run("serve", "--port", "0");
    expect(second).toMatchObject({ code: 6, stderr: expect.stringContaining(daemon.home) });
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as AddressInfo;
    const busy = await stepgate(join(daemon.home, "other"), ["serve", "--port", String(port)]);
    holder.close();
    expect(busy).toMatchObject({ code: 6, stderr: expect.stringContaining(`Port ${port}`) });
  });
});
