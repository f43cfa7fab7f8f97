// What a Code step costs over its own work: the same workflow once with Code nodes that do nothing and once with Noops, run
// in turn by one daemon, one run at a time. Beside it what a process of its own for each script would cost.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createScriptRunner } from "../src/daemon/sandbox/script-runner.ts";
import { startSandboxChild } from "../src/daemon/sandbox/start-child.ts";
import { daemonUrl, freshKey, stepgate } from "./daemon.ts";

const runs = Number(process.env["BENCH_RUNS"] ?? 200);
const script = "export const run = (inputs) => inputs.n";
const folder = mkdtempSync(join(tmpdir(), "stepgate-bench-"));

/** A workflow of so many steps in a row. */
function workflow(type: "code" | "noop", steps: number): string {
  const data = type === "code" ? { code: script, fieldMappings: { n: "{{action_input.n}}" } } : {};
  const ids = ["action_input", ...Array.from({ length: steps }, (_, index) => `step_${index}`), "result"];
  const nodes = ids.slice(1, -1).map((id) => ({ id, type, data }));
  const properties = [{ name: "n", type: "number", required: true }];
  return JSON.stringify({
    name: `${type} ${steps}`,
    slug: `${type}-${steps}`,
    nodes: [
      { id: "action_input", type: "action_input", data: { properties } },
      ...nodes,
      { id: "result", type: "return_output", data: { properties: [] } },
    ],
    edges: ids.slice(1).map((id, index) => `${ids[index]} -> ${id}`),
  });
}

/** Milliseconds from the request to the end of a run. */
async function timeRun(url: string, key: string, slug: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const startedAt = performance.now();
  const started = await fetch(`${url}/api/v1/runtime/actions/${slug}/run`, {
    method: "POST",
    headers,
    body: '{"input":{"n":1}}',
  });
  const { run_id } = (await started.json()) as { run_id: string };
  const ended = await fetch(`${url}/api/v1/runtime/runs/${run_id}?wait=30`, { headers });
  const { status } = (await ended.json()) as { status: string };
  if (status !== "succeeded") throw new Error(`The run of ${slug} is ${status}`);
  return performance.now() - startedAt;
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

/** Milliseconds of a script in a process that was started for it. */
async function timeColdScript(): Promise<number> {
  const startedAt = performance.now();
  const child = startSandboxChild();
  await child.run({ code: script, input: "{}", now: 0 });
  child.stop();
  return performance.now() - startedAt;
}

/** Milliseconds of scripts in warm processes, as in a daemon that has a run now and then. */
async function timeWarmScripts(): Promise<number[]> {
  const runner = createScriptRunner();
  const call = {
    code: script,
    inputs: {},
    now: new Date(),
    signal: new AbortController().signal,
    log: () => undefined,
  };
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const startedAt = performance.now();
    await runner.run(call);
    times.push(performance.now() - startedAt);
    await setTimeout(5);
  }
  runner.stop();
  // The first ones find the processes still starting.
  return times.slice(runs / 10);
}

const warm = await timeWarmScripts();
console.log(
  `a script in a warm process: ${percentile(warm, 0.5).toFixed(2)} ms (p50; p95 ${percentile(warm, 0.95).toFixed(2)} ms; goal: 1 or less)`,
);

const home = join(folder, "home");
const daemon = spawn(...stepgate(["serve", "--port", "0"], home));
try {
  const url = await daemonUrl(home);
  let key = "";
  for (const steps of [1, 10]) {
    for (const type of ["noop", "code"] as const) {
      const file = join(folder, `${type}-${steps}.json`);
      writeFileSync(file, workflow(type, steps));
      key = await freshKey(home, file);
    }
  }
  const cold = await Array.fromAsync({ length: 5 }, timeColdScript);
  for (const steps of [1, 10]) {
    const times = { noop: [] as number[], code: [] as number[] };
    for (let run = 0; run < runs; run += 1) {
      times.noop.push(await timeRun(url, key, `noop-${steps}`));
      times.code.push(await timeRun(url, key, `code-${steps}`));
    }
    const over = (share: number): number => (percentile(times.code, share) - percentile(times.noop, share)) / steps;
    const ratio = percentile(cold, 0.5) / over(0.5);
    console.log(
      `${steps} Code in a row (the run with ${steps} Noop: ${percentile(times.noop, 0.5).toFixed(1)} ms): ${over(0.5).toFixed(2)} ms a step over a Noop (p50; p95 ${over(0.95).toFixed(2)} ms), ` +
        `a process for each would take ${ratio.toFixed(0)} times as long`,
    );
  }
} finally {
  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}
