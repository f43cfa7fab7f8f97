import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commandTree } from "../../src/cli/commands/index.ts";
import { loadCommands } from "../../src/cli/load-commands.ts";
import { type Ended, launcher, stepgate } from "../support/command-line.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { greet } from "./workflows.ts";

const commands = await loadCommands(commandTree);

const daemon = new DaemonProcess();
beforeAll(async () => {
  await daemon.start();
  daemon.prepare(greet);
});
afterAll(async () => daemon.stop());

const run = async (...args: string[]): Promise<Ended> => stepgate(daemon.home, args);
const start = async (...args: string[]) => (await run("run", "greet", "-i", "name=Ada", "-q", ...args)).stdout.trim();

it("the same idempotency key gives the first run again", async () => {
  const first = await start("--idempotency-key", "order-1");
  expect(await start("--idempotency-key", "order-1")).toBe(first);
  expect(await start("--idempotency-key", "order-2")).not.toBe(first);
});

it("a run is watched to its end, and deleted only when somebody agrees; the audit log keeps a line", async () => {
  const id = await start();
  const watched = await run("runs", "watch", id, "--jsonl");
  expect(watched.code).toBe(0);
  expect(
    watched.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type),
  ).toContain("step_completed");
  const compact = await run("runs", "watch", id, "--compact", "--jsonl");
  expect([compact.code, compact.stdout]).toEqual([0, ""]);
  expect((await run("runs", "open", id)).code).toBe(2);
  expect((await run("runs", "delete", id)).code).toBe(2);
  const deleted = await run("runs", "delete", id, "--yes", "--json");
  expect(JSON.parse(deleted.stdout)).toEqual({ run_id: id, deleted: true });
  expect((await run("runs", "show", id)).code).toBe(5);
  const audit = JSON.parse((await run("audit", "list", "--json")).stdout);
  expect(audit.entries[0]).toMatchObject({ event: "run.deleted", run_id: id, decided_via: "cli" });
});

it("schemas, addresses and headers are printed for programs to take", async () => {
  const schema = JSON.parse((await run("actions", "schema", "greet")).stdout);
  expect(schema).toMatchObject({ type: "object", required: ["name"] });
  expect((await run("status", "--env")).stdout).toBe(`STEPGATE_URL=${daemon.url}\n`);
  const key = join(daemon.home, "mcp.key");
  await run("keys", "mint", "--name", "mcp", "--out", key);
  const headers = JSON.parse((await run("mcp", "headers")).stdout);
  expect(headers).toEqual({ Authorization: `Bearer ${readFileSync(key, "utf8").trim()}` });
  expect((await run("mcp", "tools", "-q")).stdout.split("\n")).toContain("run_action");
});

it("mcp uninstall takes Stepgate out and leaves the rest, comments too", async () => {
  const folder = join(daemon.home, "project");
  const file = join(folder, ".mcp.json");
  mkdirSync(folder);
  const before = `{\n  // mine\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n`;
  writeFileSync(file, before);
  const inProject = async (...args: string[]) => stepgate(daemon.home, args, { cwd: folder });
  await inProject("mcp", "install", "claude-code");
  expect(readFileSync(file, "utf8")).toContain("stepgate");
  const removed = await inProject("mcp", "uninstall", "claude-code", "--json");
  expect(JSON.parse(removed.stdout)).toMatchObject({ client: "claude-code", changed: true, file });
  const after = readFileSync(file, "utf8");
  expect(after).toContain("// mine");
  expect(JSON.parse(after.replace("// mine", ""))).toEqual({ mcpServers: { other: { command: "x" } } });
  expect(existsSync(`${file}.before-stepgate`)).toBe(true);
  expect(JSON.parse((await inProject("mcp", "uninstall", "claude-code", "--json")).stdout).changed).toBe(false);
});

it("every list into a reader that leaves at once ends well and without a word", async () => {
  const lists = commands.flatMap((entry) =>
    "commands" in entry ? entry.commands.filter(({ name }) => name === "list").map(() => `${entry.name} list`) : [],
  );
  expect(lists.length).toBeGreaterThan(8);
  const script = `for list in ${lists.map((list) => `'${list}'`).join(" ")}; do
    $STEPGATE $list --json | head -c 1 >/dev/null; echo "$list \${PIPESTATUS[0]}"; done`;
  const env = { ...process.env, STEPGATE_HOME: daemon.home, STEPGATE: launcher };
  const child = spawn("bash", ["-c", script], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect([stdout.trimEnd().split("\n"), stderr]).toEqual([lists.map((list) => `${list} 0`), ""]);
});

it("a wrong command line is told with the help of the very command; an unknown one has no help", async () => {
  for (const [args, hint] of [
    [["keys", "mint", "--nmae", "x"], "stepgate keys mint --help"],
    [["run"], "stepgate run --help"],
    [["runs", "lst"], "stepgate runs --help"],
    [["rnu"], "stepgate --help"],
    [["help", "rnu"], "stepgate --help"],
  ] as const) {
    const { code, stderr } = await run(...args, "--json");
    expect([args, code, JSON.parse(stderr).hint]).toEqual([args, 2, `see: ${hint}`]);
  }
});

it("an empty name, input that is no JSON and an unknown name say what is wrong with what", async () => {
  for (const [args, exit, error, hint] of [
    [["runs", "show", ""], 2, "<run> must not be empty.", null],
    [["run", "greet", "--input", "{bad"], 2, expect.stringMatching(/^--input is not valid JSON: /), expect.anything()],
    [["run", "nobody"], 5, "No action has the slug nobody", "see: stepgate actions list"],
    [["config", "set", "limits.runsPerHour", "-1"], 2, expect.stringMatching(/must be at least 1$/), null],
  ] as const) {
    const { code, stderr } = await run(...args, "--json");
    expect([args, code, JSON.parse(stderr)]).toEqual([args, exit, expect.objectContaining({ error, hint })]);
  }
  // A problem is told once.
  const { stderr } = await run("runs", "list", "--status", "nope");
  expect(stderr.split("must be one of").length).toBe(2);
});

it("a key that may start actions and not read them starts one, its fields as texts", async () => {
  const minted = await run("keys", "mint", "--name", "starter", "--scope", "actions:run", "--json");
  const env = { STEPGATE_URL: daemon.url, STEPGATE_API_KEY: JSON.parse(minted.stdout).secret };
  const { code, stdout } = await stepgate(daemon.home, ["run", "greet", "-i", "name=Ada", "--json"], { env });
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ input: { name: "Ada" } })]);
});
