import { afterAll, beforeAll, expect, it } from "vitest";
import { startSandboxChild, type SandboxChild } from "./start-child.ts";

let child: SandboxChild;
beforeAll(() => {
  child = startSandboxChild();
});
afterAll(() => child.stop());

const run = (code: string, input = "{}") => child.run({ code, input, memoryMb: 32, timeoutMs: 300 });

it.each([
  ["the exported run gets the input", "export const run = ({ a }) => a + 1", '{"a":1}', "2"],
  ["a default function does as well", "export default async function double(n) { return n * 2 }", "4", "8"],
  ["nothing returned is null", "export const run = () => {}", "{}", "null"],
  ["keys of the input are plain keys", "export const run = (i) => Object.keys(i)", '{"__proto__":1}', '["__proto__"]'],
  ["changed built-ins change nothing here", "JSON.stringify = () => 'x'; export const run = () => 1", "{}", "1"],
])("%s", async (_, code, input, result) => {
  expect(await run(code, input)).toMatchObject({ ok: true, result });
});

it("a script finds neither Node nor what would outlive its limits", async () => {
  const names = ["process", "require", "fetch", "setTimeout", "WebAssembly", "SharedArrayBuffer", "Atomics"];
  const code = `export const run = () => ${JSON.stringify(names)}.filter((name) => name in globalThis)`;
  expect(await run(code)).toMatchObject({ ok: true, result: "[]" });
});

it.each([
  ["an error", "export const run = () => { throw new RangeError('no') }", /^no$/],
  ["an object as error", "export const run = () => { throw { a: 1 } }", /not an instance of `Error`/],
  ["a syntax error", "export const run = 1 +", /Unexpected end of input \[code.js:1:/],
  ["no entry function", "export const x = 1", /exports no function `run`/],
  ["an import", "import 'fs'; export const run = () => 1", /imports "fs"/],
  ["a result that is not JSON", "export const run = () => () => 1", /not JSON/],
  ["a result over 1 MiB", "export const run = () => 'x'.repeat(1024 * 1024)", /larger than 1 MiB/],
  ["a busy loop", "export const run = () => { for (;;); }", /timed out/],
  ["a busy loop at load", "for (;;); export const run = () => 1", /timed out/],
  ["a promise that never settles", "export const run = () => new Promise(() => {})", /timed out/],
  ["a pattern that backtracks", "export const run = () => /^(a+)+$/.test('a'.repeat(60) + 'b')", /timed out/],
])("%s is answered, and the child goes on", async (_, code, message) => {
  expect(await run(code)).toMatchObject({ ok: false, error: { message: expect.stringMatching(message) } });
  expect(await run("export const run = () => 1")).toMatchObject({ ok: true, result: "1" });
});

it("a script that takes its process down is answered, and so are the calls after it", async () => {
  const victim = startSandboxChild();
  const open = victim.run({ code: "export const run = () => 1", input: "{}", memoryMb: 32, timeoutMs: 5000 });
  victim.stop();
  expect(await open).toMatchObject({ ok: false, error: { message: "The sandbox process ended (SIGKILL)." } });
  const late = await victim.run({ code: "", input: "{}", memoryMb: 32, timeoutMs: 5000 });
  expect(late).toMatchObject({ ok: false, error: { message: expect.stringContaining("can't be reached") } });
});
