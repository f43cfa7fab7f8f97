// Entry of the process that runs users' scripts, each in a fresh isolate; start-child.ts starts it. In a checkout the
// parent strips the types and passes the text, for --jitless leaves Node without its own stripper: keep to one file.
import { createRequire } from "node:module";
import type IsolatedVm from "isolated-vm";
import type { ScriptAnswer, ScriptCall } from "./message.ts";

/** The last argument is the file of isolated-vm: the package's main module, or the bare addon when packaged. */
const file = process.argv.at(-1) ?? "";
const loaded: { ivm?: typeof IsolatedVm } & typeof IsolatedVm = createRequire(file)(file);
const ivm = loaded.ivm ?? loaded;

const maxResultBytes = 1024 * 1024;

/** Shared memory and wasm memory escape the limit, Atomics.wait blocks the thread (measured; research of the sandbox). */
const removedGlobals = ["WebAssembly", "SharedArrayBuffer", "Atomics"];

/** Evaluated before the script, which can thus not replace JSON under it. Text in, text out. */
const callerSource = `"use strict";
const { parse, stringify } = JSON;
(async (entry, input) => {
  const result = await entry(parse(input));
  const text = stringify(result === undefined ? null : result);
  if (typeof text !== "string") throw new TypeError("The script's result is not JSON.");
  return text;
})`;

process.on("message", (call: ScriptCall) => {
  void runScript(call).then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit());

async function runScript(call: ScriptCall): Promise<ScriptAnswer> {
  const isolate = new ivm.Isolate({ memoryLimit: call.memoryMb });
  // One clock for all: busy scripts and promises that never settle; disposing ends what still runs.
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(() => timer.reject(new Error("Script execution timed out.")), call.timeoutMs);
  try {
    const result = await Promise.race([callEntry(isolate, call), timer.promise]);
    if (Buffer.byteLength(result) > maxResultBytes) throw new Error("The script's result is larger than 1 MiB.");
    return { id: call.id, ok: true, result };
  } catch (error) {
    const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
    return { id: call.id, ok: false, error: { message, stack } };
  } finally {
    clearTimeout(timeout);
    if (!isolate.isDisposed) isolate.dispose();
  }
}

async function callEntry(isolate: IsolatedVm.Isolate, { code, input }: ScriptCall): Promise<string> {
  const context = await isolate.createContext();
  for (const name of removedGlobals) await context.global.delete(name);
  const caller = await context.eval(callerSource, { reference: true });
  const script = await isolate.compileModule(code, { filename: "code.js" });
  await script.instantiate(context, (specifier) => {
    throw new Error(`The script imports "${specifier}"; scripts can't import anything.`);
  });
  await script.evaluate();
  const exported = await findEntry(script.namespace);
  const text = await caller.apply(undefined, [exported.derefInto(), input], { result: { promise: true } });
  return text as string;
}

async function findEntry(namespace: IsolatedVm.Reference): Promise<IsolatedVm.Reference> {
  for (const name of ["run", "default"]) {
    const exported = await namespace.get(name, { reference: true });
    if (exported.typeof === "function") return exported;
  }
  throw new Error("The script exports no function `run`, and no default function.");
}
