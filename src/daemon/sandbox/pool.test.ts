import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { type SandboxPool, createSandboxPool } from "./pool.ts";
import { type SandboxChild, startSandboxChild } from "./start-child.ts";

const one = { code: "export const run = () => 1", input: "{}", now: 0 };
const sleeps = { code: "export const run = async ({ ms }, { sleep }) => { await sleep(ms); return 1 }", now: 0 };
const loops = { code: "export const run = () => { for (;;); }", input: "{}", now: 0 };
const good = { kind: "result", result: "1" };

/** A pool and the children that it starts. */
function openPool(): { pool: SandboxPool; children: SandboxChild[] } {
  const children: SandboxChild[] = [];
  const pool = createSandboxPool(() => {
    const child = startSandboxChild();
    children.push(child);
    return child;
  });
  onTestFinished(() => pool.stop());
  return { pool, children };
}

it("no process is started before the first script, then two stay warm", async () => {
  const { pool, children } = openPool();
  expect(children).toHaveLength(0);
  for (let call = 0; call < 5; call += 1) expect(await pool.run(one)).toEqual(good);
  expect(children).toHaveLength(2);
});

it("scripts that sleep don't keep others waiting", async () => {
  const { pool, children } = openPool();
  const abort = new AbortController();
  const sleepers = [1, 2, 3].map(async () => pool.run({ ...sleeps, input: '{"ms":1000000}', signal: abort.signal }));
  expect(await pool.run(one)).toEqual(good);
  expect(children.length).toBeGreaterThan(3);
  abort.abort();
  expect(await Promise.all(sleepers)).toEqual(sleepers.map(() => expect.objectContaining({ kind: "lost" })));
});

it("a child is replaced after a script that failed in it, not after one that was never run", async () => {
  const { pool, children } = openPool();
  await pool.run({ ...one, code: "export const run = 1 +" });
  await pool.run({ ...one, code: "export const run = 1 +" });
  await pool.run(one);
  expect(children).toHaveLength(2);
  await pool.run({ ...one, code: "export const run = () => { throw 1 }" });
  expect(children).toHaveLength(3);
});

it("a child is replaced after 100 scripts", async () => {
  const { pool, children } = openPool();
  // Of two children one has had 100 of 199 calls; which one depends on how soon each had started.
  for (let call = 0; call < 99; call += 1) await pool.run(one);
  expect(children).toHaveLength(2);
  for (let call = 99; call < 199; call += 1) await pool.run(one);
  expect(children.length).toBeGreaterThan(2);
});

it("no script waits for a child that is starting: who has had its calls stays until then", async () => {
  const calls: number[] = [];
  const stopped: number[] = [];
  const ready = new Set([0, 1]);
  const pool = createSandboxPool(() => {
    const number = calls.push(0) - 1;
    return {
      pid: undefined,
      isGone: false,
      isSlowed: false,
      get isReady() {
        return ready.has(number);
      },
      async run() {
        calls[number] = (calls[number] ?? 0) + 1;
        return { kind: "result", result: "1" };
      },
      stop: () => void stopped.push(number),
    };
  });
  for (let call = 0; call < 300; call += 1) await pool.run(one);
  expect([calls, stopped]).toEqual([[150, 150, 0, 0], []]);
  ready.add(2).add(3);
  for (let call = 0; call < 8; call += 1) await pool.run(one);
  expect([stopped.toSorted((a, b) => a - b), calls.slice(2).every((count) => count > 0)]).toEqual([[0, 1], true]);
});

it("a script that runs longer than it may is lost, and a call that waits can be given up", async () => {
  const { pool } = openPool();
  const abort = new AbortController();
  const busy = Array.from({ length: 2 }, async () => pool.run({ ...loops, maxMs: 300 }));
  const waiting = pool.run({ ...one, signal: abort.signal });
  abort.abort();
  expect(await waiting).toEqual({ kind: "lost", reason: "The script was aborted" });
  expect(await Promise.all(busy)).toEqual(
    busy.map(() => ({ kind: "lost", reason: "The script does not finish within 0.3 s" })),
  );
});

it("a child that ended while it had nothing to do costs no script", async () => {
  const { pool, children } = openPool();
  await pool.run(one);
  for (const { pid } of children) process.kill(pid ?? 0, "SIGKILL");
  await expect.poll(() => children.every((child) => child.isGone)).toBe(true);
  expect(await pool.run(one)).toEqual(good);
  expect(children).toHaveLength(4);
});

it("a pool that is stopped answers what is open and starts nothing more", async () => {
  const { pool, children } = openPool();
  const open = Array.from({ length: 3 }, async () => pool.run(loops));
  pool.stop();
  expect(await Promise.all(open)).toEqual(open.map(() => expect.objectContaining({ kind: "lost" })));
  expect(await pool.run(one)).toMatchObject({ kind: "lost" });
  expect(children).toHaveLength(2);
});

it("children end with a daemon that is killed, whatever their scripts do", async () => {
  const program = `
    import { createSandboxPool } from ${JSON.stringify(new URL("./pool.ts", import.meta.url).href)};
    import { startSandboxChild } from ${JSON.stringify(new URL("./start-child.ts", import.meta.url).href)};
    const pool = createSandboxPool(() => { const child = startSandboxChild(); console.log(child.pid); return child; });
    const log = () => console.log("looping");
    for (let n = 0; n < 2; n++) void pool.run({ code: "export const run = () => { console.log(1); for (;;); }", input: "{}", now: 0, log });`;
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of parent.stdout) {
    output += String(chunk);
    if (output.match(/looping/g)?.length === 2) break;
  }
  const gone = once(parent, "exit");
  parent.kill("SIGKILL");
  await gone;
  const pids = Array.from(output.matchAll(/^\d+$/gm), ([pid]) => Number(pid));
  expect(pids).toHaveLength(2);
  await expect.poll(() => pids.filter(isAlive), { timeout: 5000 }).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
