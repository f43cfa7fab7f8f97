import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launcher, stepgate } from "../support/command-line.ts";
import { PublishedDaemon } from "../support/published-daemon.ts";

const daemon = new PublishedDaemon();
beforeAll(async () => daemon.start());
afterAll(async () => daemon.stop());

const shell = async (script: string) => {
  const child = spawn("bash", ["-c", `set -o pipefail; ${script}`], {
    env: { ...process.env, STEPGATE_HOME: daemon.home, STEPGATE: launcher },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
};

it("tab-separated values without header or colour, times as they are", async () => {
  const { stdout } = await daemon.run("runs", "list", "--action", "greet", "--limit", "1");
  expect(stdout).toMatch(/^[\w-]{36}\tgreet\t\w+\t\w+\t\d*\t\d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
  expect((await daemon.run("runs", "list", "-q", "--limit", "1")).stdout).toMatch(/^[\w-]{36}\n$/);
});

it("colours go into a pipe where --color always says so, and FORCE_COLOR beside NO_COLOR is no warning", async () => {
  const list = ["runs", "list", "--action", "greet", "--limit", "1"];
  expect((await daemon.run(...list, "--color", "always")).stdout).toContain("\t\u001b[32msucceeded\u001b[39m\t");
  const { stdout, stderr } = await stepgate(daemon.home, list, { env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
  expect([stdout.includes("\u001b"), stderr]).toEqual([false, ""]);
});

it("a large document arrives whole, and a reader that leaves early is no error", async () => {
  const items = JSON.stringify(Array.from({ length: 8000 }, (_, index) => `item ${index} ${"x".repeat(200)}`));
  const input = join(daemon.home, "items.json");
  writeFileSync(input, `{"items":${items}}`);
  const { stdout, code } = await daemon.run("run", "repeated", "--input", `@${input}`, "--wait", "--json");
  expect(code).toBe(0);
  const { run_id: id, steps_total: total } = JSON.parse(stdout);
  expect(total).toBeGreaterThan(8000);
  const whole = await shell(`$STEPGATE runs journal ${id} --json | cat`);
  expect(whole.stdout.length).toBeGreaterThan(3_000_000);
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
    const { stdout } = await daemon.run(...args);
    expect(stdout).not.toMatch(/[^\n\t\x20-\x7e]/);
  }
  expect(JSON.parse((await daemon.run("runs", "output", id)).stdout)).toEqual({ text: `Hello, ${name}!` });
  const failure = await daemon.run("run", `x${name}`);
  expect(failure.stderr).not.toMatch(/[^\n\x20-\x7e]/);
});
