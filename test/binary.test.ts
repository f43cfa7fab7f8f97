import { spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { HttpService } from "./support/http-service.ts";

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
  const daemon = spawn(binary, ["serve", "--port", "0"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(daemon, "exit");
  try {
    // The first line of the log says that it is ready.
    const [line] = await once(daemon.stdout, "data");
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
    const times: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const startedAt = performance.now();
      const second = await stepgate("serve", "--port", "0");
      times.push(performance.now() - startedAt);
      expect([second.code, second.stderr]).toEqual([6, expect.stringContaining("Another Stepgate daemon (pid ")]);
    }
    // The fastest of three: the machine may have much else to do.
    expect(Math.min(...times)).toBeLessThan(1000);
    const { file } = await json("db", "backup");
    expect((await json("stop")).running).toBe(false);
    expect(await json("db", "restore", file, "--yes")).toMatchObject({ kept: expect.stringContaining("replaced-") });
    expect(await json("db", "migrate", "--dry-run")).toMatchObject({ pending: [], applied: false });
    expect((await json("service", "print", "--kind", "systemd")).text).toContain(`ExecStart="${binary}" "serve"`);
  } finally {
    await stepgate("stop", "--timeout", "1s", "--force");
  }
}, 60_000);

it("a project is made, checked, tested and developed with it, from an empty folder", async () => {
  await json("init", "demo");
  const cwd = join(folder, "demo");
  const inDemo = async (...args: string[]) => runToEnd(binary, args, { cwd, env });
  expect(await inDemo("publish", "--check", "workflows")).toMatchObject({ code: 0, stderr: "" });
  const report = join(folder, "tests.xml");
  expect(await inDemo("test", "--junit", report)).toMatchObject({ code: 0, stdout: expect.stringContaining("passed") });
  expect(readFileSync(report, "utf8")).toContain("<testcase");
  const dev = spawn(binary, ["dev", "--port", "0"], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(dev, "exit");
  try {
    let shown = "";
    dev.stdout.setEncoding("utf8").on("data", (part: string) => (shown += part));
    await vi.waitFor(() => expect(shown).toContain("watching"), { timeout: 20_000 });
    const file = join(cwd, "workflows/hello.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^name: .*$/m, "name: Changed"));
    await vi.waitFor(() => expect(shown.match(/published/g)).toHaveLength(2), { timeout: 20_000 });
    dev.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  } finally {
    dev.kill("SIGKILL");
  }
});

it("what is loaded when it is first asked for is in it: a call to a service, a workflow written as YAML", async () => {
  const service = await HttpService.start();
  const input = { method: "GET", url: `${service.url}/answer` };
  const get = { id: "get", type: "connector", data: { connector: "http", operation: "request", input } };
  writeFileSync(
    join(folder, "call.yaml"),
    `name: Call
slug: call
nodes:
  - {id: action_input, type: action_input}
  - ${JSON.stringify(get)}
  - {id: result, type: return_output, data: {properties: [{name: body, type: object, value: "{{get.body}}"}]}}
edges: [action_input -> get, get -> result]
`,
  );
  const allowed = { ...env, STEPGATE_EGRESS_ALLOW: new URL(service.url).host };
  const started = await runToEnd(binary, ["start", "--port", "0", "--wait-ready", "30s"], {
    cwd: folder,
    env: allowed,
  });
  try {
    expect(started.code).toBe(0);
    await json("publish", "call.yaml");
    expect(await json("run", "call", "--wait")).toMatchObject({ status: "succeeded", output: { body: { ok: true } } });
    expect(await stepgate("workflows", "export", "call")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("slug: call"),
    });
  } finally {
    await stepgate("stop", "--timeout", "1s", "--force");
  }
}, 60_000);
