// A daemon of its own for a benchmark.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const launcher = new URL("../../bin/stepgate", import.meta.url).pathname;

export type BenchDaemon = {
  url: string;
  pid: number;
  /** For what a benchmark has to write; gone with the daemon. */
  folder: string;
  /** Publishes a workflow; the address of its webhook, if it has one. */
  publish(definition: string): { webhookUrl: string | null };
  mintKey(): string;
};

/** Starts a daemon on a home of its own, its limits out of the way. It and its folder are gone when `work` ends. */
export async function withDaemon(work: (daemon: BenchDaemon) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "stepgate-bench-"));
  const env = environmentOf(join(folder, "home"));
  const child = spawn(launcher, ["serve", "--port", "0"], { env, stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  try {
    await work({ ...(await placeOf(env)), folder, ...commandsOf(folder, env) });
  } finally {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function environmentOf(home: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    STEPGATE_HOME: home,
    STEPGATE_LIMITS_RUNS_PER_HOUR: "1000000000",
    STEPGATE_LIMITS_REQUESTS_PER_MINUTE_BUSINESS: "1000000000",
    STEPGATE_LIMITS_MAX_QUEUED_RUNS: "1000000",
  };
}

/** What a command of the command line answers with `--json`. */
function ask(args: string[], env: NodeJS.ProcessEnv): unknown {
  const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
  return JSON.parse(execFileSync(launcher, [...args, "--json"], { env, stdio, encoding: "utf8" }));
}

/** Waits until the daemon answers. */
async function placeOf(env: NodeJS.ProcessEnv): Promise<{ url: string; pid: number }> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      const { url, pid } = ask(["status"], env) as { url: string; pid: number };
      return { url, pid };
    } catch {
      await setTimeout(100);
    }
  }
  throw new Error("The daemon did not come up within 10 s");
}

function commandsOf(folder: string, env: NodeJS.ProcessEnv): Pick<BenchDaemon, "publish" | "mintKey"> {
  let published = 0;
  return {
    publish(definition) {
      published += 1;
      const file = join(folder, `workflow-${published}.yaml`);
      writeFileSync(file, definition);
      const answer = ask(["publish", file], env) as { published: { webhook_url?: string | null }[] };
      return { webhookUrl: answer.published[0]?.webhook_url ?? null };
    },
    mintKey: () => (ask(["keys", "mint", "--name", "bench"], env) as { secret: string }).secret,
  };
}
