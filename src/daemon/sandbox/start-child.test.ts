import { constants, getPriority } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startSandboxChild, type SandboxChild } from "./start-child.ts";

let child: SandboxChild;
beforeAll(() => {
  child = startSandboxChild();
});
afterAll(() => child.stop());

const run = (code: string, input: string | null = "{}") => child.run({ code, input, now: 0 });

it.each([
  ["the exported run gets the input", "export const run = ({ a }) => a + 1", '{"a":1}', "2"],
  ["one function of any name does as well", "export const n = 1; export function work(n) { return n * 2 }", "4", "8"],
  ["a default function with a name does too", "export default async function double(n) { return n * 2 }", "4", "8"],
  [
    "run goes before all others",
    "export const run = () => 1; export default function b() {}; export const c = () => 2",
    "{}",
    "1",
  ],
  ["nothing returned is null", "export const run = () => {}", "{}", "null"],
  ["keys of the input are plain keys", "export const run = (i) => Object.keys(i)", '{"__proto__":1}', '["__proto__"]'],
  ["changed built-ins change nothing here", "JSON.stringify = () => 'x'; export const run = () => 1", "{}", "1"],
  ["a module may wait before it is loaded", "const n = await 1; export const run = () => n", "{}", "1"],
])("%s", async (_, code, input, result) => {
  expect(await run(code, input)).toEqual({ kind: "result", result });
});

it("a script finds neither Node nor what would outlive its limits", async () => {
  const names = [
    "process",
    "require",
    "module",
    "Buffer",
    "fetch",
    "setTimeout",
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
  ];
  const code = `export const run = () => ${JSON.stringify(names)}.filter((name) => name in globalThis)`;
  expect(await run(code)).toEqual({ kind: "result", result: "[]" });
});

it("nothing of one script is there for the next", async () => {
  await run("globalThis.left = 1; Array.prototype.left = 1; export const run = () => 1");
  expect(await run("export const run = () => [typeof left, typeof [].left]")).toMatchObject({
    result: '["undefined","undefined"]',
  });
});

it("utils do what the contract says, and can't be changed", async () => {
  const code = `export const run = async (_, utils) => {
    const before = Date.parse(utils.now());
    await utils.sleep(30);
    const { sha256, base64 } = utils;
    utils.sha256 = null;
    return [utils.uuid(), before, Date.parse(utils.now()) - before >= 29, sha256("abc"), base64.encode("é"), base64.decode("w6k="), Object.isFrozen(utils)];
  }`;
  const answer = await child.run({
    code: code.replace("utils.sha256 = null;", ""),
    input: "{}",
    now: 1_000_000_000_000,
  });
  if (answer.kind !== "result") throw new Error(JSON.stringify(answer));
  const [uuid, before, ...rest]: [string, number] = JSON.parse(answer.result);
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  expect(before).toBeGreaterThanOrEqual(1_000_000_000_000);
  expect(rest).toEqual([true, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "w6k=", "é", true]);
  expect(await run(code)).toMatchObject({ error: { name: "TypeError" } });
});

it("the console and utils.log tell the parent, up to 64 Ki characters and 1,000 lines", async () => {
  const lines: string[] = [];
  const log = async (code: string) => {
    lines.length = 0;
    await child.run({ code: `export const run = (_, utils) => { ${code} }`, input: "{}", now: 0 }, (line) =>
      lines.push(line),
    );
    return lines;
  };
  expect(
    await log(
      "console.log('a', 1, { b: [undefined] }, null, undefined, 2n, Symbol('s')); utils.log(new RangeError('no'))",
    ),
  ).toEqual(['a 1 {"b":[null]} null undefined 2 Symbol(s)', expect.stringMatching(/^RangeError: no\n.*code\.js:1:/)]);
  expect(await log("for (let i = 0; i < 5000; i++) console.error(i)")).toHaveLength(1000);
  expect(lines.at(-1)).toBe("999 [the rest of the console is left out]");
  expect(await log("console.log('x'.repeat(70000)); console.log(1)")).toHaveLength(1);
  // Marked where it was cut: what is before the mark may be the beginning of a secret.
  expect(lines[0]).toMatch(/^x{65536}… \[the rest/);
});

it.each([
  ["an error", "export const run = () => { throw new RangeError('no') }", "run", /^no$/],
  ["a text as error", "export const run = () => { throw 'no' }", "run", /^no$/],
  ["an object as error", "export const run = () => { throw { a: 1 } }", "run", /^\{"a":1\}$/],
  [
    "an error that can't be read",
    "export const run = () => { throw { get a() { throw 1 }, toString() { throw 2 } } }",
    "run",
    /./,
  ],
  ["a syntax error", "export const run = 1 +", "compile", /Unexpected end of input \[code.js:1:/],
  ["no entry function", "export const x = 1", "run", /exports no function/],
  ["several functions", "export const a = () => 1, b = () => 2", "run", /several functions \(a, b\)/],
  ["a default function without a name", "export default () => 1", "run", /has no name/],
  ["an import", "import 'fs'; export const run = () => 1", "compile", /imports "fs"/],
  ["an import at run time", "export const run = () => import('fs')", "run", /Not supported/],
  ["an error at load", "throw new Error('early'); export const run = () => 1", "load", /^early$/],
  ["a result that is not JSON", "export const run = () => () => 1", "run", /not JSON/],
  ["a result with a cycle", "export const run = () => { const a = []; a.push(a); return a }", "run", /circular/],
  ["a result over 1 MiB", "export const run = () => 'x'.repeat(1024 * 1024)", "run", /larger than 1 MiB/],
])("%s is answered, and the child goes on", async (_, code, stage, message) => {
  expect(await run(code)).toMatchObject({ kind: "failure", error: { stage, message: expect.stringMatching(message) } });
  expect(await run("export const run = () => 1")).toEqual({ kind: "result", result: "1" });
});

it("a check loads the script and calls nothing", async () => {
  expect(await run("export const run = () => { throw 1 }", null)).toEqual({ kind: "result", result: "" });
  expect(await run("export const x = 1", null)).toMatchObject({
    kind: "failure",
    error: { stage: "load", name: "NoEntry" },
  });
});

it("a call whose child is killed is answered, and so are the calls after it", async () => {
  const victim = startSandboxChild();
  const open = victim.run({ code: "for (;;); export const run = () => 1", input: "{}", now: 0 });
  victim.stop("enough");
  expect(await open).toEqual({ kind: "lost", reason: "enough" });
  expect(await victim.run({ code: "", input: "{}", now: 0 })).toEqual({ kind: "lost", reason: "enough" });
});

it("a script that takes its time leaves the processors to everything else", async () => {
  const slow = startSandboxChild();
  const open = slow.run({ code: "export const run = () => { for (;;); }", input: "{}", now: 0 });
  expect(slow.isSlowed).toBe(false);
  await expect.poll(() => getPriority(slow.pid), { timeout: 10_000 }).toBe(constants.priority.PRIORITY_LOW);
  expect(slow.isSlowed).toBe(true);
  slow.stop();
  expect(await open).toMatchObject({ kind: "lost" });
});
