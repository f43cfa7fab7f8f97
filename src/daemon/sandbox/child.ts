// Entry of the process that runs users' scripts, each in a fresh isolate; start-child.ts starts it. In a checkout the
// parent strips the types and passes the text, for --jitless leaves Node without its own stripper: keep to one file.
import { createHash, randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import type IsolatedVm from "isolated-vm";
import type { ChildMessage, ScriptCall, ScriptFailure } from "./message.ts";

/** The last argument is the file of isolated-vm: the package's main module, or the bare addon when packaged. */
const file = process.argv.at(-1) ?? "";
const loaded: { ivm?: typeof IsolatedVm } & typeof IsolatedVm = createRequire(file)(file);
const ivm = loaded.ivm ?? loaded;

const memoryLimit = 128;
const maxResultBytes = 1024 * 1024;
const maxTimer = 2 ** 31 - 1;

/**
 * Evaluated before the script, which can thus not replace JSON under it. Shared memory and wasm memory escape the limit
 * of an isolate, and Atomics.wait blocks its thread, so all three go (measured). Text in, text out: the first character
 * of the answer tells a result from an error.
 */
const guestSource = `"use strict";
for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics"]) delete globalThis[name];
const [writeLine, now, uuid, sha256, encode, decode, sleep] = [$0, $1, $2, $3, $4, $5, $6];
const { parse, stringify } = JSON;
const { ownKeys } = Reflect;

const show = (value) => {
  if (typeof value === "string") return value;
  if (value instanceof Error) return value.stack || String(value);
  try {
    return stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
};
const sleepers = new Map();
const room = { characters: 65536, lines: 1000 };
const print = (...values) => {
  if (room.lines <= 0) return;
  const text = values.map(show).join(" ");
  const isLong = text.length > room.characters;
  const isCut = isLong || room.lines === 1;
  const shown = isLong ? text.slice(0, room.characters) + "…" : text;
  writeLine(isCut ? shown + " [the rest of the console is left out]" : text);
  room.characters -= text.length;
  room.lines = isCut ? 0 : room.lines - 1;
};
globalThis.console = { log: print, info: print, warn: print, error: print, debug: print };

const ofText = (name, call) => (text) => {
  if (typeof text !== "string") throw new TypeError("utils." + name + " takes a text, not " + show(text));
  return call(text);
};
const decodeText = (text) => {
  if (!/^[\\w+/-]*={0,2}$/.test(text)) throw new TypeError("utils.base64.decode takes base64");
  return decode(text);
};
const utils = Object.freeze({
  log: print,
  uuid: () => uuid(),
  now: () => new Date(now()).toISOString(),
  sha256: ofText("sha256", sha256),
  base64: Object.freeze({ encode: ofText("base64.encode", encode), decode: ofText("base64.decode", decodeText) }),
  sleep: (ms) =>
    new Promise((resolve) => {
      sleepers.set(sleepers.size, resolve);
      sleep(sleepers.size - 1, Number(ms));
    }),
});

const noEntry = (message) => Object.assign(new TypeError(message), { name: "NoEntry" });
const findEntry = (namespace) => {
  const names = ownKeys(namespace).filter((name) => typeof namespace[name] === "function");
  if (names.includes("run")) return namespace.run;
  if (names.includes("default")) {
    if (namespace.default.name !== "default") return namespace.default;
    throw noEntry("The default function has no name: write export default function run(inputs, utils)");
  }
  if (names.length === 1) return namespace[names[0]];
  const found = names.length === 0 ? "exports no function" : "exports several functions (" + names.join(", ") + ")";
  throw noEntry("The code " + found + ": export one named run, as in export function run(inputs, utils)");
};
const describe = (error) => {
  const { name, message, stack } = error instanceof Error ? error : { name: "", message: show(error), stack: "" };
  const cut = (text) => (text.length > 8192 ? text.slice(0, 8192) + "…" : text);
  return stringify([name, message, stack].map((text) => cut(String(text))));
};
const call = async (namespace, input) => {
  try {
    const entry = findEntry(namespace);
    if (input === undefined) return "+";
    const result = await entry(parse(input), utils);
    const text = stringify(result === undefined ? null : result);
    if (typeof text !== "string") throw new TypeError("The result is not JSON, it is a " + typeof result);
    return "+" + text;
  } catch (error) {
    return "-" + describe(error);
  }
};
const wake = (number) => sleepers.get(number)();
// The first call would find its own functions uncompiled (measured: 0.1 ms).
call({ run: () => null }, "null");
return { call, wake };`;

type Sandbox = {
  isolate: IsolatedVm.Isolate;
  context: IsolatedVm.Context;
  caller: IsolatedVm.Reference;
  timers: Set<NodeJS.Timeout>;
  /** The call that has the sandbox. */
  call: ScriptCall | null;
  startedAt: number;
};

/** Made ahead while there is nothing to do, so that calls don't wait for it. */
const stock: Sandbox[] = [];
const fullStock = 8;
let refill = setTimeout(fillStock);

process.on("message", (call: ScriptCall) => void answerCall(call));
// The parent is gone. A plain exit would wait for the thread of a script that never ends.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
send({ kind: "ready" });

async function answerCall(call: ScriptCall): Promise<void> {
  clearTimeout(refill);
  const sandbox = stock.shift() ?? makeSandbox();
  sandbox.call = call;
  sandbox.startedAt = performance.now();
  send(await runScript(sandbox, call));
  sandbox.call = null;
  for (const timer of sandbox.timers) clearTimeout(timer);
  // Both wait a moment: who got the answer may have to wake up on this very processor (measured: 0.15 ms).
  setTimeout(() => {
    if (!sandbox.isolate.isDisposed) sandbox.isolate.dispose();
  }, 1);
  refill = setTimeout(fillStock, 1);
}

/** One at a time: who waits for an answer wakes up on this very processor, once it is free (measured: 1.2 ms later). */
function fillStock(): void {
  stock.push(makeSandbox());
  if (stock.length < fullStock) refill = setTimeout(fillStock, 1);
}

async function runScript(
  { isolate, context, caller }: Sandbox,
  { id, code, input }: ScriptCall,
): Promise<ChildMessage> {
  let stage: ScriptFailure["stage"] = "compile";
  try {
    const script = isolate.compileModuleSync(code, { filename: "code.js" });
    script.instantiateSync(context, (specifier) => {
      throw new Error(`The code imports "${specifier}"; it can't import anything`);
    });
    stage = "load";
    await script.evaluate();
    const args = [script.namespace.derefInto(), input ?? undefined];
    if (input !== null) stage = "run";
    const answer: unknown = await caller.apply(undefined, args, { result: { promise: true } });
    return readAnswer(id, stage, String(answer));
  } catch (error) {
    const thrown = isolate.isDisposed
      ? new RangeError(`The script needed more than ${memoryLimit} MiB of memory`)
      : error;
    const { name, message, stack = "" } = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { kind: "failure", id, error: { stage, name, message, stack } };
  }
}

function readAnswer(id: number, stage: ScriptFailure["stage"], answer: string): ChildMessage {
  const text = answer.slice(1);
  if (answer.startsWith("-")) {
    const [name, message, stack]: [string, string, string] = JSON.parse(text);
    return { kind: "failure", id, error: { stage, name, message, stack } };
  }
  if (Buffer.byteLength(text) <= maxResultBytes) return { kind: "result", id, result: text };
  const message = "The result is larger than 1 MiB of JSON";
  return { kind: "failure", id, error: { stage, name: "RangeError", message, stack: "" } };
}

function makeSandbox(): Sandbox {
  const isolate = new ivm.Isolate({ memoryLimit, onCatastrophicError: () => process.abort() });
  const context = isolate.createContextSync();
  const writeLine = (text: unknown): void => {
    if (sandbox.call) send({ kind: "log", id: sandbox.call.id, text: String(text) });
  };
  const now = (): number => (sandbox.call?.now ?? 0) + Math.floor(performance.now() - sandbox.startedAt);
  const sleep = (sleeper: number, ms: number): void => {
    const wakeUp = () => wake.applyIgnored(undefined, [sleeper]);
    sandbox.timers.add(setTimeout(wakeUp, Math.min(Math.max(ms || 0, 0), maxTimer)));
  };
  const callbacks = [
    new ivm.Callback(writeLine, { ignored: true }),
    new ivm.Callback(now),
    new ivm.Callback(() => randomUUID()),
    new ivm.Callback((text: string) => createHash("sha256").update(text).digest("hex")),
    new ivm.Callback((text: string) => Buffer.from(text).toString("base64")),
    new ivm.Callback((text: string) => Buffer.from(text, "base64").toString()),
    new ivm.Callback(sleep, { ignored: true }),
  ];
  const guest = context.evalClosureSync(guestSource, callbacks, { result: { reference: true } });
  const caller = guest.getSync("call", { reference: true });
  const wake = guest.getSync("wake", { reference: true });
  const sandbox: Sandbox = { isolate, context, caller, timers: new Set(), call: null, startedAt: 0 };
  return sandbox;
}

function send(message: ChildMessage): void {
  process.send?.(message);
}
