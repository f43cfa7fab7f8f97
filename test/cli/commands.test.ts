import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launcher, stepgate, type Ended } from "../support/command-line.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { broken, faulty, greet, repeated, typed } from "./workflows.ts";

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
  for (const [name, workflow] of Object.entries({ greet, broken, repeated, "deeper/typed": typed })) {
    writeFileSync(join(folder, `${name}.yaml`), workflow);
  }
  writeFileSync(join(folder, "README.txt"), "no workflow");
  writeFileSync(join(daemon.home, "faulty.yaml"), faulty);
  await json("publish", folder);
  key = (await json<{ secret: string }>("keys", "mint", "--name", "everything")).secret;
  for (const [slug, field] of [
    ["greet", "name=Ada"],
    ["broken", "name=Eve"],
  ] as const) {
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
    [2, ["runs", "list", "--url", "http://127.0.0.1:1", "--key-file", "/dev/null/x"]],
    [2, ["runs", "list", "--url", "ftp://127.0.0.1"]],
    [4, ["runs", "list", "--url", "http://127.0.0.1:1"]],
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

describe("JSON for programs", () => {
  it("status tells where the daemon is, or that there is none", async () => {
    expect(await json("status")).toMatchObject({
      running: true,
      url: daemon.url,
      pid: expect.any(Number),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      instance_id: expect.any(String),
      db: join(daemon.home, "stepgate.db"),
      db_schema: expect.any(Number),
      started_at: expect.any(String),
      active_runs: 0,
    });
    const none = await stepgate(join(daemon.home, "elsewhere"), ["status", "--json"]);
    expect(none).toEqual({ code: 3, stdout: '{"running":false}\n', stderr: "" });
  });

  it("flags of every command stand before or after its name", async () => {
    for (const args of [
      ["--json", "runs", "list"],
      ["runs", "--json", "list"],
      ["runs", "list", "--json"],
    ]) {
      const { stdout } = await run(...args);
      expect(Object.keys(JSON.parse(stdout))).toEqual(["runs", "total", "limit", "offset"]);
    }
  });

  it("a key is minted with its secret, listed without it, and revoked by name", async () => {
    const minted = await json(
      "keys",
      "mint",
      "--name",
      "ci",
      "--scope",
      "runs:read",
      "--scope",
      "actions:run",
      "--expires",
      "90d",
    );
    expect(minted).toEqual({
      id: expect.any(String),
      name: "ci",
      prefix: String(minted["secret"]).slice(0, 8),
      scopes: ["runs:read", "actions:run"],
      created_at: expect.any(String),
      expires_at: expect.any(String),
      secret: expect.stringMatching(/^sgt_[\w-]{32}$/),
    });
    expect(Date.parse(String(minted["expires_at"])) - Date.now()).toBeGreaterThan(89.9 * 86_400_000);
    const { keys } = await json<{ keys: { name: string }[] }>("key", "list");
    expect(keys.find(({ name }) => name === "ci")).toEqual({
      ...minted,
      secret: undefined,
      last_used_at: null,
      is_active: true,
      revoked_at: null,
    });
    expect(await json("keys", "revoke", "ci", "--yes")).toMatchObject({ name: "ci", is_active: false });
  });

  it("a name of several keys is the caller's mistake and shows them", async () => {
    for (const _ of [1, 2]) await json("keys", "mint", "--name", "twin");
    const { code, stderr } = await run("keys", "revoke", "twin", "--yes", "--json");
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ exit_code: 2, details: [{ name: "twin" }, { name: "twin" }] });
  });

  it("a secret goes into a new file of the user's own, and never over another file", async () => {
    const out = join(daemon.home, "ci.key");
    const minted = await json("keys", "mint", "--name", "filed", "--out", out);
    expect(minted).toMatchObject({ name: "filed", secret_file: out });
    expect(minted).not.toHaveProperty("secret");
    expect(readFileSync(out, "utf8")).toMatch(/^sgt_[\w-]{32}\n$/);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const again = await run("keys", "mint", "--name", "again", "--out", out);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(out) });
    const refused = join(daemon.home, "refused.key");
    expect((await run("keys", "mint", "--name", "x", "--scope", "nope", "--out", refused)).code).toBe(2);
    expect(statSync(refused, { throwIfNoEntry: false })).toBeUndefined();
    const { keys } = await json<{ keys: { name: string }[] }>("keys", "list");
    expect(keys.map(({ name }) => name)).not.toContain("again");
  });

  it("a run is printed as the API gives it: at its creation, and whole when it was waited for", async () => {
    const started = await json("run", "greet", "-i", "name=Ada");
    expect(started).toMatchObject({
      action_slug: "greet",
      status: "accepted",
      input: { name: "Ada" },
      output: null,
      steps: [],
    });
    const ended = await json("run", "greet", "--input", '{"name":"Bob","more":1}', "-i", "name=Ada", "-w");
    expect(ended).toMatchObject({
      status: "succeeded",
      input: { name: "Ada", more: 1 },
      output: { text: "Hello, Ada!" },
      steps_total: 2,
    });
    expect(await json("runs", "show", String(ended["run_id"]))).toEqual(ended);
    expect(await json("runs", "output", String(ended["run_id"]))).toEqual({ text: "Hello, Ada!" });
    expect(await json("run", "greet", "-i", "name=Ada", "--dry-run")).toMatchObject({
      source: "dry_run",
      status: "succeeded",
    });
  });

  it("fields of -i have the types that the action declares; files and stdin are read", async () => {
    const fields = ["amount=7.5", "isPaid=false", 'tags=["a"]', "code=007", "extra=1"].flatMap((pair) => ["-i", pair]);
    const input = { amount: 7.5, isPaid: false, tags: ["a"], code: "007", extra: "1" };
    expect(await json("run", "typed", ...fields)).toMatchObject({ input });
    const file = join(daemon.home, "in.json");
    writeFileSync(file, JSON.stringify(input));
    expect(await json("run", "typed", "--input", `@${file}`)).toMatchObject({ input });
    const piped = await stepgate(daemon.home, ["run", "typed", "--input", "-", "--json"], {
      stdin: JSON.stringify(input),
    });
    expect(JSON.parse(piped.stdout)).toMatchObject({ input });
  });

  it("runs are listed with every filter", async () => {
    const list = async (...filters: string[]) =>
      json<{ runs: { run_id: string }[]; total: number }>("runs", "list", ...filters);
    const failed = await list(
      "--status",
      "failed",
      "--action",
      "broken",
      "--source",
      "action",
      "--since",
      "1h",
      "--limit",
      "100",
    );
    expect(failed.runs.map((each) => each.run_id)).toContain(runs.get("broken"));
    expect((await list("--since", "2999-01-01")).total).toBe(0);
    expect((await list("--until", "1d")).total).toBe(0);
    expect((await list("--needs-approval")).total).toBe(0);
    expect((await list("--limit", "1", "--offset", "1")).runs).toHaveLength(1);
  });

  it("a journal is one page, or an event a line; followed, it ends with its run", async () => {
    const id = runs.get("greet") ?? "";
    const { events, next_after } = await json<{ events: { seq: number }[]; next_after: number }>("runs", "journal", id);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(next_after).toBe(4);
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    expect((await run("runs", "journal", id, "--jsonl")).stdout).toBe(lines);
    expect((await run("runs", "journal", id, "--jsonl", "--follow")).stdout).toBe(lines);
    expect((await run("runs", "journal", id, "--after", "3", "-q")).stdout).toBe("4\n");
    const { code, stdout, stderr } = await run("run", "greet", "-i", "name=Ada", "--follow", "--jsonl");
    expect([code, stdout.trimEnd().split("\n").length, stderr]).toEqual([0, 4, ""]);
  });

  it("a failed run's error object on stderr names the run's own code", async () => {
    const { code, stdout, stderr } = await run("run", "broken", "-i", "name=Eve", "--wait", "--json");
    expect(code).toBe(10);
    expect(JSON.parse(stdout)).toMatchObject({ status: "failed", error: { code: "WORKFLOW_STOPPED" } });
    expect(JSON.parse(stderr)).toMatchObject({
      code: "WORKFLOW_STOPPED",
      error: expect.stringContaining("no Eve today"),
    });
  });
});

describe("publishing", () => {
  it("files and what lies in directories are published once, by the names that were typed", async () => {
    const result = await json<{ unchanged: { file: string }[] }>("publish", folder, join(folder, "greet.yaml"));
    expect(result).toMatchObject({ published: [], failed: [] });
    expect(result.unchanged.map(({ file }) => file)).toEqual(
      ["broken.yaml", "deeper/typed.yaml", "greet.yaml", "repeated.yaml"].map((file) => join(folder, file)),
    );
  });

  it("every problem is told with file, line and column; nothing of the file is published", async () => {
    const file = join(daemon.home, "faulty.yaml");
    const { code, stdout, stderr } = await run("publish", file);
    expect(code).toBe(7);
    const problems = stdout.split("\n").filter((line) => line.startsWith(`${file}:`));
    expect(problems.length).toBeGreaterThanOrEqual(2);
    for (const line of problems) expect(line.slice(file.length)).toMatch(/^:\d+:\d+ (error|warning) .+ \([a-z_]+\)$/);
    expect(problems.map((line) => line.slice(file.length).split(":")[1])).toEqual(expect.arrayContaining(["5", "6"]));
    expect(stderr).toContain("1 of 1 files failed");
    const checked = await run("publish", "--check", file, "--json");
    const { failed } = JSON.parse(checked.stdout);
    expect(checked.code).toBe(7);
    expect(failed).toMatchObject([
      { file, issues: expect.arrayContaining([expect.objectContaining({ line: 5, severity: "error" })]) },
    ]);
    expect((await run("actions", "show", "faulty")).code).toBe(5);
  });

  it("a check publishes nothing", async () => {
    const file = join(daemon.home, "new.yaml");
    writeFileSync(file, greet.replaceAll("greet", "greet-anew").replace("name: Greet", "name: Anew"));
    expect((await run("publish", "--check", file)).code).toBe(0);
    expect((await run("actions", "show", "greet-anew")).code).toBe(5);
  });
});

describe("pipes", () => {
  const shell = async (script: string) => {
    const child = spawn("bash", ["-c", `set -o pipefail; ${script}`], {
      env: { ...process.env, STEPGATE_HOME: daemon.home, STEPGATE: launcher },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code, stdout, stderr };
  };

  it("tab-separated values without header or colour, times as they are", async () => {
    const { stdout } = await run("runs", "list", "--action", "greet", "--limit", "1");
    expect(stdout).toMatch(/^[\w-]{36}\tgreet\t\w+\t\w+\t\d*\t\d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
    expect((await run("runs", "list", "-q", "--limit", "1")).stdout).toMatch(/^[\w-]{36}\n$/);
  });

  it("a large document arrives whole, and a reader that leaves early is no error", async () => {
    const items = JSON.stringify(Array.from({ length: 3000 }, (_, index) => `item ${index} ${"x".repeat(200)}`));
    const input = join(daemon.home, "items.json");
    writeFileSync(input, `{"items":${items}}`);
    const { stdout, code } = await run("run", "repeated", "--input", `@${input}`, "--wait", "--json");
    expect(code).toBe(0);
    const { run_id: id, steps_total: total } = JSON.parse(stdout);
    expect(total).toBeGreaterThan(3000);
    const whole = await shell(`$STEPGATE runs journal ${id} --json | cat`);
    expect(whole.stdout.length).toBeGreaterThan(1_000_000);
    expect(JSON.parse(whole.stdout).events).toHaveLength(JSON.parse(whole.stdout).next_after);
    for (const command of [`runs journal ${id}`, `runs journal ${id} --follow --jsonl`, `runs journal ${id} --json`]) {
      const cut = await shell(`$STEPGATE ${command} | head -c 100`);
      expect(cut).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^.{100}$/s) });
    }
  });

  it("text from outside can't steer whoever reads it", async () => {
    const name = "\x1b]0;owned\x07A\x1b[8md\u202ea\r\n\u009b2J\x7f";
    const started = await stepgate(daemon.home, ["run", "greet", "--input", "-", "--wait", "-q"], {
      stdin: JSON.stringify({ name }),
    });
    const id = started.stdout.trim();
    for (const args of [
      ["runs", "show", id],
      ["runs", "show", id, "--json"],
      ["runs", "journal", id, "--jsonl"],
      ["runs", "output", id],
    ]) {
      const { stdout } = await run(...args);
      expect(stdout).not.toMatch(/[^\n\t\x20-\x7e]/);
    }
    expect(JSON.parse((await run("runs", "output", id)).stdout)).toEqual({ text: `Hello, ${name}!` });
    const failure = await run("run", `x${name}`);
    expect(failure.stderr).not.toMatch(/[^\n\x20-\x7e]/);
  });
});

describe("over HTTP with a key", () => {
  const remote = async (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    stepgate("/nonexistent", args, { env: { STEPGATE_URL: daemon.url, ...env } });

  it("actions and runs work with a key from the environment or a file, and need no socket", async () => {
    const file = join(daemon.home, "remote.key");
    writeFileSync(file, `${key}\n`);
    for (const env of [{ STEPGATE_API_KEY: key }, { STEPGATE_API_KEY_FILE: file }]) {
      expect((await remote(["actions", "list", "-q"], env)).stdout).toContain("greet\n");
    }
    const ended = await remote(["run", "greet", "-i", "name=Ada", "--wait", "--json", "--key-file", file]);
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: "succeeded", output: { text: "Hello, Ada!" } });
  });

  it.each<[name: string, code: number, env: () => NodeJS.ProcessEnv]>([
    ["no key", 4, () => ({})],
    ["a wrong key", 4, () => ({ STEPGATE_API_KEY: `sgt_${"x".repeat(32)}` })],
    ["a key with a line break in it", 4, () => ({ STEPGATE_API_KEY: "sgt_\nHost: evil" })],
    ["nobody there", 3, () => ({ STEPGATE_URL: "http://127.0.0.1:1", STEPGATE_API_KEY: key })],
  ])("%s exits with %i, and the key is never shown", async (_, code, env) => {
    const ended = await remote(["runs", "list", "--verbose"], env());
    expect(ended.code).toBe(code);
    expect(ended.stdout + ended.stderr).not.toContain(key.slice(8));
  });

  it("a key without the scope is told which one it lacks", async () => {
    const { secret } = await json<{ secret: string }>("keys", "mint", "--name", "reader", "--scope", "runs:read");
    const ended = await remote(["actions", "list"], { STEPGATE_API_KEY: secret });
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining("actions:read") });
  });
});
