// npm start: a daemon on this checkout's own data, its workflows published, a key, one run, and what to do next.
// Stays up, publishes workflow files again when they change; Ctrl-C drains.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, watch } from "node:fs";
import { dirname, extname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isTestFile } from "../src/cli/workflow-files.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const workflows = "workflows";
const workflowExtensions = new Set([".yaml", ".yml", ".json"]);
const keyName = "local-agent";
const pollMs = 100;

/** Editors save in several steps. */
const settleMs = 150;

/** A terminal's Ctrl-C comes straight and again through npm: within this time it is one. */
const sameSignalMs = 500;

type Daemon = { url: string; pid: number; db: string };
type KeyList = { keys: { prefix: string; is_active: boolean }[] };

/** Starts a command of the real command line, on the pinned Node that runs this file too. */
function start(args: readonly string[], options: Parameters<typeof spawn>[2]): ChildProcess {
  return spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(root, "src/main.ts"), ...args],
    options,
  );
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Shows a command and runs it to its end. */
async function show(...args: string[]): Promise<void> {
  say("", `$ stepgate ${args.join(" ")}`);
  await once(start(args, { stdio: ["ignore", "inherit", "inherit"] }), "exit");
}

/** What a command prints under --json; null when it fails. */
async function ask<T>(...args: string[]): Promise<T | null> {
  const child = start([...args, "--json"], { stdio: ["ignore", "pipe", "ignore"] });
  if (!child.stdout) return null;
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return code === 0 ? JSON.parse(output) : null;
}

/**
 * Starts the daemon out of the reach of the terminal's Ctrl-C, which would count twice; the IPC channel ends it when
 * this process dies. Resolves when it answers, to null when it ended before.
 */
async function startDaemon(child: ChildProcess): Promise<Daemon | null> {
  while (child.exitCode === null && child.signalCode === null) {
    const daemon = await ask<Daemon>("status");
    if (daemon) return daemon;
    await sleep(pollMs);
  }
  return null;
}

/** Makes sure that there is a usable key in a file of the data directory, and gives the file. */
async function provideKey({ db }: Daemon): Promise<string> {
  const file = join(dirname(db), `${keyName}.key`);
  const prefix = existsSync(file) ? readFileSync(file, "utf8").slice(0, 8) : null;
  const list = await ask<KeyList>("keys", "list");
  if (prefix !== null && list?.keys.some((key) => key.prefix === prefix && key.is_active)) {
    say("", `The API key ${keyName} is in ${file}`);
    return file;
  }
  rmSync(file, { force: true });
  await show("keys", "mint", "--name", keyName, "--out", file);
  if (existsSync(file)) say(`key        ${readFileSync(file, "utf8").trim()} (shown this once)`);
  return file;
}

function explain({ url, db }: Daemon, keyFile: string): void {
  const api = `${url}/api/v1/runtime`;
  const key = `-H "Authorization: Bearer $(cat '${keyFile}')"`;
  const body = `-H 'Content-Type: application/json' -d '{"input":{"name":"Ada"}}'`;
  const readId = String.raw`sed 's/.*"run_id":"\([^"]*\)".*/\1/'`;
  say(
    "",
    `Stepgate runs at ${url}; its REST API is ${api}`,
    "Start a run, then ask for it:",
    "",
    `RUN=$(curl -s ${api}/actions/hello/run ${key} ${body} | ${readId})`,
    `curl -s ${api}/runs/$RUN ${key}`,
    "",
    "Connect an agent over MCP (Claude Code's form; `stepgate mcp print CLIENT` has the others):",
    "",
    mcpConfiguration(url),
    `with STEPGATE_API_KEY set to what ${keyFile} holds`,
    "",
    "In another terminal this makes `stepgate` the command line of this daemon; then look at `stepgate ui`:",
    "",
    `export STEPGATE_HOME='${dirname(db)}' PATH='${join(root, "bin")}':"$PATH"`,
    "",
    `Files that change in ${workflows}/ are published again. Ctrl-C stops the daemon.`,
  );
}

/** Names the variable that holds the key: a configuration that is shown or shared carries no secret. */
function mcpConfiguration(url: string): string {
  const headers = { Authorization: ["Bearer $", "{STEPGATE_API_KEY}"].join("") };
  return JSON.stringify({ mcpServers: { stepgate: { type: "http", url: `${url}/mcp`, headers } } });
}

/** Publishes workflow files as they change, one batch after the other. Returns the way to stop. */
function followFiles(): () => void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let published = Promise.resolve();
  const publishChanged = async () => {
    const files = [...changed].filter((file) => existsSync(file));
    changed.clear();
    if (files.length > 0) await show("publish", ...files);
  };
  const watcher = watch(workflows, { recursive: true }, (_, name) => {
    if (name === null || !workflowExtensions.has(extname(name)) || isTestFile(name)) return;
    changed.add(join(workflows, name));
    clearTimeout(timer);
    timer = setTimeout(() => void (published = published.then(publishChanged)), settleMs);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

/** Passes signals on, each once: the first drains the daemon, a later one ends it at once. */
function passSignals(child: ChildProcess): () => boolean {
  let signalledAt: number | null = null;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      const now = performance.now();
      if (signalledAt !== null && now - signalledAt < sameSignalMs) return;
      if (signalledAt === null)
        say("", "Stopping: steps in progress may take up to 35 s; again Ctrl-C ends them at once.");
      signalledAt = now;
      child.kill("SIGTERM");
    });
  }
  return () => signalledAt !== null;
}

/** What a newcomer sees once the daemon answers; each step is left out when it is being stopped. */
async function* introduce(daemon: Daemon): AsyncGenerator<void> {
  yield show("publish", workflows);
  const keyFile = await provideKey(daemon);
  yield;
  yield show("run", "hello", "-i", "name=Ada", "--follow");
  explain(daemon, keyFile);
}

async function main(): Promise<number> {
  const running = await ask<Daemon>("status");
  if (running) {
    say(
      `Stepgate runs already, on this data directory: ${running.url}, process ${running.pid}.`,
      `Stop it first: STEPGATE_HOME='${process.env["STEPGATE_HOME"]}' ./bin/stepgate stop`,
    );
    return 6;
  }
  say("$ stepgate serve");
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  const child = start(["serve", "--log-format", "pretty"], { stdio: [...stdio], detached: true });
  const exit = once(child, "exit");
  const isStopping = passSignals(child);
  const daemon = await startDaemon(child);
  if (daemon) for await (const _ of introduce(daemon)) if (isStopping()) break;
  const stopFollowing = daemon && !isStopping() ? followFiles() : () => undefined;
  const [code] = await exit;
  stopFollowing();
  if (code === 6) say("With any free port: STEPGATE_PORT=0 npm start");
  return Number(code ?? 1);
}

process.chdir(root);
process.env["STEPGATE_HOME"] ||= join(root, ".stepgate");
// As the launcher does: commands start in half the time.
process.env["NODE_ENV"] ??= "production";
process.env["NODE_COMPILE_CACHE"] ??= join(root, "node_modules/.cache/stepgate");
// The commands below are for the daemon that is started here.
delete process.env["STEPGATE_URL"];
process.exitCode = await main();
