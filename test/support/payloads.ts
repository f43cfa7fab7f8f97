/** What becomes of a script that tries to get out, or to take more than its share. */
export type Fate =
  | { output: unknown }
  /** The step fails with this code and a message like this. */
  | { code: "CODE_EXECUTION_FAILED"; message: RegExp }
  | { code: "TIMEOUT" }
  /** It dies of its memory or of its time, whichever the machine comes to first. */
  | { code: "any" }
  /** It is never published. */
  | { refused: RegExp };

export type Payload = { name: string; code: string; fate: Fate };

const fails = (message: RegExp): Fate => ({ code: "CODE_EXECUTION_FAILED", message });
const gives = (output: unknown): Fate => ({ output });
const timesOut: Fate = { code: "TIMEOUT" };
const dies: Fate = { code: "any" };
const run = (body: string) => `export async function run(inputs, utils) { ${body} }`;

/** Attacks on sandboxes of the kind that were published, and programs that eat memory or time. */
export const payloads: readonly Payload[] = [
  {
    name: "the constructor of a constructor",
    code: run(
      "const find = (value) => value.constructor.constructor('return typeof process + typeof require')(); return [inputs, utils, utils.log, console, new Error()].map(find)",
    ),
    fate: gives(Array.from({ length: 5 }, () => "undefinedundefined")),
  },
  {
    name: "globals of Node",
    code: run(
      "return ['process', 'require', 'module', 'Buffer', 'fetch', 'setTimeout', 'global', 'ivm'].filter((name) => name in globalThis)",
    ),
    fate: gives([]),
  },
  {
    name: "call sites that leak this",
    code: run(
      "Error.prepareStackTrace = (_, sites) => sites.map((site) => { const self = site.getThis(); return self === undefined || self === globalThis || self === null ? 'ours' : typeof self.process }); return [...new Set(new Error().stack)]",
    ),
    fate: gives(["ours"]),
  },
  {
    name: "the caller of a function",
    code: run("return [run.caller, (function () { return arguments.callee.caller })()]"),
    fate: fails(/strict mode|'caller'/),
  },
  { name: "a dynamic import", code: run("return import('node:fs')"), fate: fails(/Not supported/) },
  { name: "a busy loop", code: run("for (;;);"), fate: timesOut },
  {
    name: "endless microtasks",
    // Nothing waits for the chain, so it takes no memory: what ends it is the time.
    code: run("const again = () => void Promise.resolve().then(again); again(); await new Promise(() => {})"),
    fate: timesOut,
  },
  { name: "a list without end", code: run("const all = []; for (;;) all.push(new Array(1e4).fill(1))"), fate: dies },
  {
    name: "typed arrays without end",
    code: run("const all = []; for (;;) all.push(new Uint8Array(16 * 1024 * 1024).fill(1))"),
    fate: dies,
  },
  {
    name: "a text that doubles",
    code: run("let text = 'x'; for (;;) text += text"),
    fate: fails(/Invalid string length|memory/),
  },
  {
    name: "recursion without end",
    code: run("const down = () => down() + 1; return down()"),
    fate: fails(/Maximum call stack/),
  },
  { name: "a pattern that backtracks", code: run("return /^(a+)+$/.test('a'.repeat(40) + 'b')"), fate: timesOut },
  {
    name: "poisoned prototypes",
    code: run(
      "Object.prototype.poisoned = 1; Array.prototype.toJSON = () => 'poison'; JSON.parse = JSON.stringify = () => '0'; Promise.prototype.then = null; return [1]",
    ),
    fate: dies,
  },
  {
    name: "keys that name prototypes",
    code: run(`return JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')`),
    fate: gives(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')),
  },
  {
    name: "an error that fights back",
    code: run("throw { get message() { throw this }, toString() { throw this } }"),
    fate: fails(/./),
  },
  {
    name: "a proxy thrown",
    code: run("throw new Proxy({}, { get() { throw new Proxy({}, {}) }, getPrototypeOf() { throw 1 } })"),
    fate: fails(/./),
  },
  { name: "a result of 5 MB", code: run("return 'x'.repeat(5e6)"), fate: fails(/1 MiB/) },
  {
    name: "a wait on shared memory",
    code: run("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"),
    fate: fails(/not defined/),
  },
  {
    name: "memory of WebAssembly",
    code: run("return new WebAssembly.Memory({ initial: 16384 })"),
    fate: fails(/not defined/),
  },
  { name: "natives of V8", code: run("%DebugPrint(run)"), fate: { refused: /line 1/ } },
  { name: "a promise that never settles", code: run("await new Promise(() => {})"), fate: timesOut },
  {
    name: "finalizers",
    code: run(
      "new FinalizationRegistry(() => { for (;;); }).register({}, 1); for (let i = 0; i < 1e4; i++) new Uint8Array(1e4); return typeof new WeakRef({}).deref",
    ),
    fate: gives("function"),
  },
  {
    name: "a way out of a wrapper",
    code: "} ); globalThis.escaped = 1; (function () { {",
    fate: { refused: /line 1/ },
  },
  {
    name: "time zone and locale",
    code: run("return [new Date(0).getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().timeZone]"),
    fate: gives([0, "UTC"]),
  },
  { name: "a number that grows", code: run("let n = 3n; for (;;) n = n * n"), fate: dies },
  {
    name: "a sort that takes its time",
    code: run(
      "const all = Array.from({ length: 3e6 }, (_, i) => (i * 7919) % 3000017); return all.sort((a, b) => a - b)[0]",
    ),
    fate: dies,
  },
  {
    name: "a map without end",
    code: run("const map = new Map(); for (let i = 0; ; i++) map.set(i, { i })"),
    fate: dies,
  },
  { name: "JSON that explodes", code: run("return JSON.parse('[' + '[],'.repeat(5e6) + '1]').length"), fate: dies },
  {
    name: "a split that explodes",
    code: run("return 'a,'.repeat(2e7).split(',').length + 'a'.repeat(2e7).match(/a/g).length"),
    fate: dies,
  },
  { name: "one huge list", code: run("return new Array(1e8).fill(1).map(String).join().length"), fate: dies },
  {
    name: "types nested deeply",
    code: `let x: ${"Array<".repeat(20_000)}1${">".repeat(20_000)}; ${run("")}`,
    fate: { refused: /nested too deeply/ },
  },
  {
    name: "a callback of the host",
    code: run(
      "const all = [utils.log, utils.uuid, utils.sleep, utils.base64.encode]; return all.map((call) => [typeof call.apply, call.constructor === Function, Object.getPrototypeOf(call) === Function.prototype])",
    ),
    fate: dies,
  },
  { name: "a console without end", code: run("for (;;) console.log('x'.repeat(1000))"), fate: timesOut },
  {
    name: "naps without end",
    code: run("const naps = []; for (let i = 0; i < 1e5; i++) naps.push(utils.sleep(1e12)); await Promise.all(naps)"),
    fate: dies,
  },
  {
    name: "work left behind",
    code: run("Promise.resolve().then(() => Promise.resolve().then(() => { for (;;); })); return 1"),
    fate: dies,
  },
];
