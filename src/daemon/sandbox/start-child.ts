import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { isolatedVmPath } from "../native/entry-points.ts";
import { isPackaged } from "../native/sea.ts";
import { type ScriptAnswer, type ScriptCall, childMessage } from "./message.ts";
import { putBehindOthers } from "./put-behind-others.ts";
import { watchMemory } from "./watch-memory.ts";

/** The hidden command by which the executable runs as a sandbox child (main.ts imports sandbox/child.ts for it). */
const sandboxCommand = "__sandbox";

/**
 * No machine code is made from scripts; isolates and Node's own start-up snapshot do not go together (isolated-vm). V8's
 * own limit lies above the isolates' 128 MiB: what reaches it ends the process instead of the script.
 */
const flags = ["--jitless", "--no-node-snapshot", "--max-old-space-size=160"];

/** What isolates don't count, such as huge lists in the making, is bounded by the process (Linux). */
const maxResidentBytes = 256 * 1024 * 1024;

/** A script that takes longer leaves the processors to the daemon first: its clock and its other runs go on. */
const courtesyMs = 250;

export type SandboxChild = {
  pid: number | undefined;
  /** It has ended, by whatever cause. */
  readonly isGone: boolean;
  /** It has started, and a call begins at once. */
  readonly isReady: boolean;
  /** It had a script so long that it steps behind everything else for good; to be replaced. */
  isSlowed: boolean;
  /** Runs one script; answers always. One call at a time. */
  run(call: Omit<ScriptCall, "id">, onLog?: (text: string) => void): Promise<ScriptAnswer>;
  /** Kills the process; a call that is open is `lost` with this reason. */
  stop(reason?: string): void;
};

/** Starts a process that runs scripts apart from this one: no environment, no standard streams, JSON text only. */
export function startSandboxChild(): SandboxChild {
  return new ChildLink(
    spawn(process.execPath, childArguments(), { env: { TZ: "UTC" }, stdio: ["ignore", "ignore", "ignore", "ipc"] }),
  );
}

class ChildLink implements SandboxChild {
  readonly pid: number | undefined;
  isSlowed = false;
  readonly #child: ChildProcess;
  #hasStarted = false;
  #courtesy: NodeJS.Timeout | null = null;
  #lastId = 0;
  #open: { id: number; onLog: (text: string) => void; settle: (answer: ScriptAnswer) => void } | null = null;
  /** Why there will be no more answers. */
  #lost: string | null = null;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid;
    child.unref();
    child.channel?.unref();
    child.on("message", (message) => this.#receive(message));
    child.on("error", (error) => this.#lose(`The sandbox could not be used: ${error.message}`));
    child.on("exit", (code, signal) => this.#lose(describeExit(signal ?? `exit code ${code}`)));
  }

  get isGone(): boolean {
    return this.#lost !== null;
  }

  get isReady(): boolean {
    return this.#hasStarted && !this.isGone;
  }

  async run(call: Omit<ScriptCall, "id">, onLog: (text: string) => void = () => undefined): Promise<ScriptAnswer> {
    if (this.#lost !== null) return { kind: "lost", reason: this.#lost };
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<ScriptAnswer>();
    this.#open = { id, onLog, settle: resolve };
    // Only a child with work keeps this process alive.
    this.#child.channel?.ref();
    if (this.#hasStarted) this.#beginCourtesy();
    const unwatch =
      this.pid === undefined ? null : watchMemory(this.pid, maxResidentBytes, () => this.stop(outOfMemory));
    this.#child.send({ ...call, id }, (error) => {
      if (error) this.#lose(`The sandbox can't be reached: ${error.message}`);
    });
    const answer = await promise;
    this.#open = null;
    this.#child.channel?.unref();
    if (this.#courtesy) clearTimeout(this.#courtesy);
    unwatch?.();
    return answer;
  }

  stop(reason = "The sandbox was stopped"): void {
    this.#lose(reason);
    this.#child.kill("SIGKILL");
  }

  #beginCourtesy(): void {
    this.#courtesy = setTimeout(() => {
      if (this.pid === undefined || this.isGone) return;
      this.isSlowed = true;
      putBehindOthers(this.pid);
    }, courtesyMs);
  }

  #receive(received: unknown): void {
    const message = childMessage.safeParse(received);
    if (!message.success) return this.stop("The sandbox sent what it should not");
    if (message.data.kind === "ready") {
      this.#hasStarted = true;
      if (this.#open) this.#beginCourtesy();
      return;
    }
    const { id, ...rest } = message.data;
    if (this.#open?.id !== id) return;
    if (rest.kind === "log") this.#open.onLog(rest.text);
    else this.#open.settle(rest);
  }

  #lose(reason: string): void {
    this.#lost ??= reason;
    this.#open?.settle({ kind: "lost", reason: this.#lost });
  }
}

const outOfMemory = "The script took more memory than its 128 MiB and was stopped";

/** A script that grows too fast for the isolate's own limit takes V8, and with it the process, down. */
function describeExit(how: string): string {
  return `The script took its sandbox down (${how}); most often it needed more than 128 MiB of memory`;
}

let source: string | undefined;

function childArguments(): string[] {
  const addon = isolatedVmPath();
  if (isPackaged) return [`--node-options=${flags.join(" ")}`, sandboxCommand, addon];
  source ??= stripTypeScriptTypes(readFileSync(new URL("./child.ts", import.meta.url), "utf8"));
  return [...flags, "--input-type=module", "--eval", source, addon];
}
