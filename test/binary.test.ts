import { spawn } from "node:child_process";
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

type Ended = { code: number; stdout: string; stderr: string };

async function runToEnd(file: string, args: readonly string[], cwd = folder): Promise<Ended> {
  const child = spawn(file, args, { cwd, env: { HOME: join(folder, "home") }, stdio: ["ignore", "pipe", "pipe"] });
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
  const { code, stderr } = await runToEnd(process.execPath, [join(root, "scripts/package.ts")], root);
  expect([code, stderr]).toEqual([0, ""]);
  folder = realpathSync(mkdtempSync(join(tmpdir(), "stepgate-binary-")));
  binary = join(folder, "stepgate");
  copyFileSync(join(root, "dist/stepgate"), binary);
  mkdirSync(join(folder, "home"));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

it("the executable knows its version", async () => {
  expect(await stepgate("--version")).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

it("its native parts work: SQLite in a worker thread, a script in the sandbox's process", async () => {
  const { ok, checks } = await json("doctor");
  expect(checks).toEqual([
    expect.objectContaining({ name: "node", status: "ok" }),
    expect.objectContaining({ name: "sqlite", status: "ok" }),
    expect.objectContaining({ name: "sandbox", status: "ok" }),
  ]);
  expect(ok).toBe(true);
});

it("at a terminal it draws with ink", async () => {
  const terminal = join(folder, "terminal.cjs");
  writeFileSync(terminal, "Object.assign(process.stdout, { isTTY: true, columns: 80, rows: 24 });");
  const { code, stdout } = await stepgate(`--node-options=--require=${terminal}`, "doctor", "--ascii");
  expect(code).toBe(0);
  expect(stdout).toMatch(/\+\S* node {5}Node 26/);
});
