import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** STEPGATE_BIN: the executable instead of the sources (scripts/test-binary.ts). */
const launcher = process.env["STEPGATE_BIN"] ?? new URL("../../bin/stepgate", import.meta.url).pathname;
const eagerDaemon = new URL("./eager-daemon.ts", import.meta.url).pathname;

/** A real daemon in a process of its own, on a data directory of its own; killed without mercy where a test wants it. */
export class DaemonProcess {
  readonly home: string;
  url = "";
  #child: ChildProcess | null = null;

  constructor(home = mkdtempSync(join(tmpdir(), "stepgate-test-"))) {
    this.home = home;
  }

  /** Starts and waits until it answers. `eager` is the control that answers before its writes are durable. */
  async start(env: Record<string, string> = {}, eager = false): Promise<this> {
    const environment = { ...process.env, STEPGATE_HOME: this.home, ...env };
    const options = { env: environment, stdio: ["ignore", "ignore", "inherit"] as ("ignore" | "inherit")[] };
    this.#child = eager
      ? spawn(process.execPath, [eagerDaemon], options)
      : spawn(launcher, ["serve", "--port", "0"], options);
    for (let tries = 0; tries < 3000; tries += 1) {
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null) throw new Error(`The daemon ended with ${exitCode ?? signalCode}`);
      const told = this.#told();
      if (told !== null && told.pid === this.#child.pid) {
        this.url = told.url;
        this.#pid = told.pid;
        return this;
      }
      await setTimeout(20);
    }
    throw new Error("The daemon did not come up");
  }

  #pid = 0;

  /** What the daemon writes once it answers. One that was killed leaves its file behind, so the process has to agree. */
  #told(): { url: string; pid: number } | null {
    try {
      return JSON.parse(readFileSync(join(this.home, "daemon.json"), "utf8")) as { url: string; pid: number };
    } catch {
      return null;
    }
  }

  /** Runs the command line on this daemon's home; what it printed. Throws on a non-zero exit. */
  command(...args: string[]): string {
    const env = { ...process.env, STEPGATE_HOME: this.home };
    return execFileSync(launcher, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  }

  /** Publishes a workflow text and mints a key that may do everything. */
  prepare(workflow: string, ...mint: string[]): string {
    const file = join(this.home, "workflow.yaml");
    writeFileSync(file, workflow);
    this.command("publish", file);
    return (JSON.parse(this.command("keys", "mint", "--name", "test", "--json", ...mint)) as { secret: string }).secret;
  }

  /** kill -9 of the daemon itself, not of its launcher, and waits until it is gone. */
  async kill(): Promise<void> {
    const gone = this.#gone();
    process.kill(this.#pid, "SIGKILL");
    await gone;
  }

  async stop(): Promise<void> {
    const gone = this.#gone();
    this.#child?.kill("SIGTERM");
    await gone;
  }

  async #gone(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => child.once("exit", resolve));
  }
}
