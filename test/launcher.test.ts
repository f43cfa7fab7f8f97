import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Says what it was started with, then waits for a signal; `ui` loads a .tsx file; `exit` ends with 7. */
const program = `
  const [command] = process.argv.slice(2);
  if (command === "ui") console.log((await import("./view.tsx")).view.props.children);
  else if (command === "exit") process.exitCode = 7;
  else {
    process.on("SIGTERM", () => { console.log("drained"); process.exit(3); });
    setInterval(() => {}, 1000);
    console.log(JSON.stringify({ args: process.argv.slice(2), node: process.execPath, cwd: process.cwd() }));
  }`;

/** A checkout of its own whose path holds what URLs and shells trip over, with the real launcher. */
let folder = "";
let launcher = "";

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "stepgate launcher #%20'$")));
  for (const part of ["bin", "scripts"]) cpSync(join(root, part), join(folder, "app", part), { recursive: true });
  mkdirSync(join(folder, "app/src"));
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "app/package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "app/src/main.ts"), program);
  writeFileSync(join(folder, "app/src/view.tsx"), "export const view = <b>drawn</b>;");
  symlinkSync(join(root, "node_modules"), join(folder, "app/node_modules"));
  launcher = join(folder, "linked");
  symlinkSync(join(folder, "app/bin/stepgate"), launcher);
});
afterAll(() => rmSync(folder, { recursive: true }));

const withoutExecve = ["--import", "data:text/javascript,delete process.execve"];
const ways: [name: string, command: () => [string, ...string[]]][] = [
  ["by itself, as a shell script", () => [launcher]],
  ["by a Node that can replace itself", () => [process.execPath, launcher]],
  ["by a Node that can't", () => [process.execPath, ...withoutExecve, launcher]],
];

function start(command: readonly string[]) {
  const [file = "", ...args] = command;
  return spawn(file, args, { cwd: join(folder, "empty"), stdio: ["ignore", "pipe", "pipe"] });
}

async function runToEnd(command: readonly string[]) {
  const child = start(command);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: Number(code), stdout, stderr };
}

it.each(ways)("started %s, it hands over arguments, folder, signal and exit code", async (_, command) => {
  const child = start([...command(), "two words", "$HOME"]);
  const [line] = await once(child.stdout, "data");
  const seen = JSON.parse(String(line));
  expect(seen).toMatchObject({ args: ["two words", "$HOME"], cwd: join(folder, "empty") });
  expect(seen.node).toMatch(/node_modules\/node-[\w-]+\/bin\/node$/);
  child.kill("SIGTERM");
  const [rest, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect([rest, code]).toEqual(["drained\n", 3]);
});

it.each(ways)("started %s, a signal that ends the program ends the launcher the same way", async (_, command) => {
  const child = start(command());
  await once(child.stdout, "data");
  child.kill("SIGHUP");
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGHUP");
});

it.each(ways)("started %s, it passes the exit code on and loads .tsx sources", async (_, command) => {
  expect(await runToEnd([...command(), "exit"])).toMatchObject({ code: 7, stderr: "" });
  expect(await runToEnd([...command(), "ui"])).toEqual({ code: 0, stdout: "drawn\n", stderr: "" });
});

it.runIf(process.platform === "linux")(
  "a Node that its system can't load is explained, with what to install",
  async () => {
    const app = join(folder, "lacking");
    const name = basename(dirname(dirname(process.execPath)));
    const bin = join(app, "node_modules", name, "bin");
    cpSync(join(root, "scripts"), join(app, "scripts"), { recursive: true });
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(app, "node_modules", name, "package.json"), "{}");
    writeFileSync(join(bin, "node"), "#!/bin/sh\nexit 127\n", { mode: 0o755 });
    const { code, stderr } = await runToEnd(["node", join(app, "scripts/run.mjs"), "node", "--version"]);
    expect([code, stderr]).toEqual([127, expect.stringContaining("apt-get install libatomic1")]);
  },
);

it("a checkout without node_modules says what to run", async () => {
  const bare = join(folder, "bare");
  for (const part of ["bin", "scripts"]) cpSync(join(root, part), join(bare, part), { recursive: true });
  writeFileSync(join(bare, "package.json"), '{ "type": "module" }');
  const { code, stderr } = await runToEnd([join(bare, "bin/stepgate")]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^stepgate: The pinned Node .* Run: npm ci\n$/)]);
});
