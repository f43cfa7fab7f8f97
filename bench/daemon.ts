// A daemon of its own for a benchmark, and a client that keeps it busy over kept-alive connections.
import { type SpawnOptions, execFileSync } from "node:child_process";
import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";

const launcher = new URL("../bin/stepgate", import.meta.url).pathname;

/** Arguments for `spawn`: the command line on a home folder of its own, its limits out of the way. */
export function stepgate(args: string[], home: string): [string, string[], SpawnOptions & { env: NodeJS.ProcessEnv }] {
  const env = {
    ...process.env,
    STEPGATE_HOME: home,
    STEPGATE_LIMITS_RUNS_PER_HOUR: "1000000000",
    STEPGATE_LIMITS_REQUESTS_PER_MINUTE_BUSINESS: "1000000000",
    STEPGATE_LIMITS_MAX_QUEUED_RUNS: "1000000",
  };
  return [launcher, args, { env, stdio: ["ignore", "ignore", "inherit"] }];
}

function answer(args: string[], home: string): unknown {
  const [command, , options] = stepgate(args, home);
  const text = execFileSync(command, args, {
    env: options.env,
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  return JSON.parse(text);
}

/** Waits until the daemon of this home answers, and says where. */
export async function daemonUrl(home: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      return (answer(["status", "--json"], home) as { url: string }).url;
    } catch {
      await setTimeout(100);
    }
  }
  throw new Error("The daemon did not come up within 10 s");
}

/** Publishes a workflow and mints a key for it. */
export async function freshKey(home: string, workflow: string): Promise<string> {
  answer(["publish", workflow, "--json"], home);
  return (answer(["keys", "mint", "--name", "bench", "--json"], home) as { secret: string }).secret;
}

/** Publishes a workflow with a webhook, and says where that is. */
export function publishHook(home: string, workflow: string): string {
  const { published } = answer(["publish", workflow, "--json"], home) as { published: { webhook_url: string }[] };
  const url = published[0]?.webhook_url;
  if (!url) throw new Error("The workflow has no webhook");
  return url;
}

/** Starts runs of `bench` from so many clients for so long; the number that was accepted. */
export async function postRuns(url: string, key: string, clients: number, ms: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const until = performance.now() + ms;
  let accepted = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const status = await send(agent, `${url}/api/v1/runtime/actions/bench/run`, key, '{"input":{"n":1}}');
      if (status !== 202) throw new Error(`A run was answered with ${status}`);
      accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return accepted;
}

function send(agent: Agent, url: string, key: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": body.length,
    };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Waits until no run is on its way any more; every one of them has to have succeeded. */
export async function untilSucceeded(url: string, key: string): Promise<void> {
  for (;;) {
    const totals = await Promise.all(["accepted", "running", "failed"].map((status) => total(url, key, status)));
    if ((totals[2] ?? 0) > 0) throw new Error(`${totals[2]} runs failed`);
    if (totals[0] === 0 && totals[1] === 0) return;
    await setTimeout(5);
  }
}

async function total(url: string, key: string, status: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/runtime/runs?status=${status}&limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await response.json()) as { total: number }).total;
}
