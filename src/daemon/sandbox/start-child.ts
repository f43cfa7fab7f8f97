import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { isolatedVmPath } from "../native/entry-points.ts";
import { isPackaged } from "../native/sea.ts";
import { scriptAnswer, type ScriptAnswer, type ScriptCall } from "./message.ts";

/** The hidden command by which the executable runs as a sandbox child (main.ts imports sandbox/child.ts for it). */
const sandboxCommand = "__sandbox";

/** No machine code is made from scripts; isolates and Node's own start-up snapshot do not go together (isolated-vm). */
const flags = ["--jitless", "--no-node-snapshot", "--max-old-space-size=128"];

/** How long past its time a script may take to be stopped from inside, before the whole child is killed. */
const graceMs = 1000;

export type SandboxChild = {
  /** Answers always: a script that fails, runs too long or takes the child down with it gets `ok: false`. */
  run(call: Omit<ScriptCall, "id">): Promise<ScriptAnswer>;
  /** Ends the child at once; calls still open are answered with an error. */
  stop(): void;
};

/** Starts a process that runs scripts apart from this one: no environment, no standard streams, JSON text only. */
export function startSandboxChild(): SandboxChild {
  const child = spawn(process.execPath, childArguments(), {
    env: { TZ: "UTC" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const open = new Map<number, (answer: ScriptAnswer) => void>();
  let lastId = 0;

  const settle = (answer: ScriptAnswer) => {
    open.get(answer.id)?.(answer);
    open.delete(answer.id);
  };
  const failAll = (reason: string) => {
    for (const id of open.keys()) settle({ id, ok: false, error: { message: reason, stack: "" } });
  };
  child.on("message", (message) => {
    const answer = scriptAnswer.safeParse(message);
    if (answer.success) settle(answer.data);
    else child.kill("SIGKILL");
  });
  child.on("error", (error) => failAll(`The sandbox process could not be used: ${error.message}`));
  child.on("exit", (code, signal) => failAll(`The sandbox process ended (${signal ?? `exit code ${code}`}).`));

  return {
    async run(call) {
      const id = ++lastId;
      const kill = setTimeout(() => child.kill("SIGKILL"), call.timeoutMs + graceMs);
      try {
        return await new Promise<ScriptAnswer>((resolve) => {
          open.set(id, resolve);
          send(child, { ...call, id }, failAll);
        });
      } finally {
        clearTimeout(kill);
      }
    },
    stop() {
      child.kill("SIGKILL");
    },
  };
}

function send(child: ChildProcess, call: ScriptCall, fail: (reason: string) => void): void {
  child.send(call, (error) => {
    if (error) fail(`The sandbox process can't be reached: ${error.message}`);
  });
}

function childArguments(): string[] {
  const addon = isolatedVmPath();
  if (isPackaged) return [`--node-options=${flags.join(" ")}`, sandboxCommand, addon];
  const source = readFileSync(new URL("./child.ts", import.meta.url), "utf8");
  return [...flags, "--input-type=module", "--eval", stripTypeScriptTypes(source), addon];
}
