import { spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };

const root = fileURLToPath(new URL("..", import.meta.url));

/** A folder with nothing but the executable, and an empty home: what is not inside the file can't be found. */
let folder = "";
let binary = "";
let env: Record<string, string> = {};

async function runToEnd(file: string, args: readonly string[], options: SpawnOptions = { cwd: folder, env }) {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: Number(code), stdout, stderr };
}

const stepgate = (...args: string[]) => runToEnd(binary, args);

/** Runs a command that has to succeed and print JSON. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await stepgate(...args, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  const { code, stderr } = await runToEnd(process.execPath, [join(root, "scripts/package.ts")], {});
  if (code !== 0) throw new Error(`npm run package failed: ${stderr}`);
  folder = realpathSync(mkdtempSync(join(tmpdir(), "stepgate-binary-")));
  binary = join(folder, "stepgate");
  copyFileSync(join(root, "dist/stepgate"), binary);
  env = { HOME: join(folder, "home") };
  mkdirSync(join(folder, "home"));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

it("the executable knows its version", async () => {
  expect(await stepgate("--version")).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

it("the native parts work: SQLite in a worker thread, a script in the sandbox's process", async () => {
  const { ok, checks } = await json("doctor");
  expect(checks.slice(0, 3)).toEqual([
    expect.objectContaining({ name: "node", status: "ok" }),
    expect.objectContaining({ name: "sqlite", status: "ok" }),
    expect.objectContaining({ name: "sandbox", status: "ok" }),
  ]);
  expect(ok).toBe(true);
});

it("doctor draws with ink at a terminal", async () => {
  const terminal = join(folder, "terminal.cjs");
  writeFileSync(terminal, "Object.assign(process.stdout, { isTTY: true, columns: 80, rows: 24 });");
  const { code, stdout } = await stepgate(`--node-options=--require=${terminal}`, "doctor", "--ascii");
  expect(code).toBe(0);
  expect(stdout).toMatch(/\+\S* node +Node 26/);
});

const workflow = `name: Double
slug: double
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: n, type: integer, required: true}]}}
  - id: keep
    type: code
    data:
      fieldMappings: {n: "{{action_input.n}}"}
      code: |
        export function run(inputs: { n: number }, utils: { log(text: string): void }) {
          utils.log("a script of the executable");
          return { n: inputs.n };
        }
  - {id: result, type: return_output, data: {properties: [{name: n, type: integer, value: "{{keep.n}}"}]}}
edges: [action_input -> keep, keep -> result]
`;

it("the daemon in it serves, publishes, runs over HTTP and stops", async () => {
  const daemon = spawn(binary, ["serve", "--port", "0"], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(daemon, "exit");
  try {
    // The first line of the log says that it is ready.
    const [line] = await once(daemon.stderr, "data");
    const { url } = JSON.parse(String(line));
    writeFileSync(join(folder, "workflow.yaml"), workflow);
    expect(await json("publish", "workflow.yaml")).toMatchObject({ published: [{ slug: "double", version: 1 }] });
    const { secret } = await json("keys", "mint", "--name", "test");
    const answer = await fetch(`${url}/api/v1/runtime/actions/double/run`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ input: { n: 3 } }),
    });
    expect(answer.status).toBe(202);
    const run = await json("run", "double", "-i", "n=4", "--wait");
    expect(run).toMatchObject({ status: "succeeded", output: { n: 4 } });
    expect(await json("runs", "logs", run.run_id)).toMatchObject({ logs: [{ text: "a script of the executable" }] });
    writeFileSync(join(folder, "broken.yaml"), workflow.replace("inputs.n }", "inputs.n +}"));
    const refused = await stepgate("publish", "broken.yaml", "--json");
    expect(refused.code).toBe(7);
    expect(JSON.parse(refused.stdout).failed[0].issues[0]).toMatchObject({ code: "invalid_code", line: 12 });
    expect(await json("stop")).toMatchObject({ running: false });
    expect(await ended).toEqual([0, null]);
  } finally {
    daemon.kill("SIGKILL");
  }
});

it("its daemon lives in the background, and serves MCP over stdio, the user interface and backups", async () => {
  const key = join(folder, "agent.key");
  const daemon = await json("start", "--port", "0", "--wait-ready", "30s", "--key-out", key);
  try {
    expect(daemon).toMatchObject({ started: true, key_file: key });
    const asked = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const client = spawn(binary, ["mcp", "stdio", "--key-file", key], {
      cwd: folder,
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    client.stdin.end(`${JSON.stringify(asked)}\n`);
    expect(JSON.parse(await text(client.stdout)).result.tools.map(({ name }: { name: string }) => name)).toContain(
      "run_action",
    );
    expect(await json("restart")).toMatchObject({ restarted: true, url: daemon.url });
    const { file } = await json("db", "backup");
    expect((await json("stop")).running).toBe(false);
    expect(await json("db", "restore", file, "--yes")).toMatchObject({ kept: expect.stringContaining("replaced-") });
    expect(await json("db", "migrate", "--dry-run")).toMatchObject({ pending: [], applied: false });
    expect((await json("service", "print", "--kind", "systemd")).text).toContain(`ExecStart="${binary}" "serve"`);
  } finally {
    await stepgate("stop", "--timeout", "1s", "--force");
  }
}, 60_000);
