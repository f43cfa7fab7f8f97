import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { Client } from "../../src/cli/client.ts";
import type { DaemonStatus, PublishResult } from "../../src/contract/control.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { launcher, stepgate } from "../support/command-line.ts";
import { greet } from "../support/workflows.ts";

it("a daemon whose disk breaks says so, ends by itself, and the next one has all that was acknowledged", async () => {
  const home = resolveHome({ STEPGATE_HOME: mkdtempSync(join(tmpdir(), "stepgate-disk-")) });
  const client = new Client({ socketPath: home.socket }, { signal: new AbortController().signal });
  client.patienceMs = 0;
  // A limit on the size of files makes a write to the database's log fail as a broken disk does; sh counts in blocks.
  const children: ChildProcess[] = [];
  const serve = async (limit: string) => {
    const script = `ulimit -f ${limit}; exec "$@"`;
    const env = { ...process.env, STEPGATE_HOME: home.dataDir, NODE_DISABLE_COMPILE_CACHE: "1" };
    const child = spawn("sh", ["-c", script, "sh", launcher, "serve", "--port", "0", "--log-format", "json"], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    await vi.waitFor(async () => client.get<DaemonStatus>("/control/status"), { timeout: 30_000, interval: 50 });
    return child;
  };
  try {
    // The executable unpacks its native modules once, and they are larger than the limit.
    if (process.env["STEPGATE_BIN"]) await stepgate(home.dataDir, ["doctor"]);
    const child = await serve("4000");
    const [log, errors, ended] = [text(child.stdout), text(child.stderr), once(child, "exit")];
    const { failed } = await client.post<PublishResult>("/control/publish", {
      files: [{ file: "greet.yaml", text: greet }],
    });
    expect(failed).toEqual([]);
    const acknowledged: string[] = [];
    const body = { input: { name: "x".repeat(30_000) } };
    while (child.exitCode === null) {
      const run = client.post<{ run_id: string }>("/api/v1/runtime/actions/greet/run", body);
      await run.then(({ run_id: id }) => acknowledged.push(id)).catch(async () => sleep(20));
    }
    expect(await ended).toEqual([1, null]);
    expect(await log).toContain("The database takes no more writes; this daemon ends");
    expect(await errors).toMatch(/stepgate: The daemon ended: The store takes no more writes after an I\/O error/);
    expect(acknowledged.length).toBeGreaterThan(3);

    await serve("unlimited");
    for (const id of acknowledged) await client.get(`/api/v1/runtime/runs/${id}`);
  } finally {
    for (const child of children.filter(({ exitCode }) => exitCode === null)) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(home.dataDir, { recursive: true, force: true });
  }
}, 120_000);
