// What a Code step costs over its own work: the same workflow once with ten Code nodes that do nothing and once with ten
// Noops, run in turn by one daemon, one run at a time. Ten, because one step is lost in what a run costs anyway. Beside it
// what a process of its own for each script would cost.
import { setTimeout } from "node:timers/promises";
import { createScriptRunner } from "../src/daemon/sandbox/script-runner.ts";
import { startSandboxChild } from "../src/daemon/sandbox/start-child.ts";
import { withDaemon } from "./support/daemon.ts";
import { median, percentile, report } from "./support/figures.ts";

const runs = Number(process.env["BENCH_RUNS"] ?? 200);
const steps = 10;
/** Milliseconds, at p50 (the goal of the Code node). */
const goal = { most: 1 };
const script = "export const run = (inputs) => inputs.n";

/** A workflow with all steps in a row. */
function workflow(type: "code" | "noop"): string {
  const data = type === "code" ? { code: script, fieldMappings: { n: "{{action_input.n}}" } } : {};
  const ids = ["action_input", ...Array.from({ length: steps }, (_, index) => `step_${index}`), "result"];
  const nodes = ids.slice(1, -1).map((id) => ({ id, type, data }));
  const properties = [{ name: "n", type: "number", required: true }];
  return JSON.stringify({
    name: type,
    slug: type,
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
report("a script in a warm process, p50", median(warm), "ms", goal);
report("a script in a warm process, p95", percentile(warm, 0.95), "ms");
const cold = median(await Array.fromAsync({ length: 5 }, timeColdScript));
report("a script in a process started for it, p50", cold, "ms");

await withDaemon(async ({ url, publish, mintKey }) => {
  publish(workflow("noop"));
  publish(workflow("code"));
  const key = mintKey();
  const times = { noop: [] as number[], code: [] as number[] };
  for (let run = 0; run < runs; run += 1) {
    times.noop.push(await timeRun(url, key, "noop"));
    times.code.push(await timeRun(url, key, "code"));
  }
  const over = (share: number): number => (percentile(times.code, share) - percentile(times.noop, share)) / steps;
  report(`a run with ${steps} Noops, p50`, median(times.noop), "ms");
  report("a Code step over a Noop, p50", over(0.5), "ms", goal);
  report("a Code step over a Noop, p95", over(0.95), "ms");
});
