import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PublishRequest, PublishResult } from "../../src/contract/control.ts";
import type { MintedKey } from "../../src/contract/key.ts";
import { type Limits, defaultLimits } from "../../src/contract/limits.ts";
import { type RunDetail, isTerminal } from "../../src/contract/run.ts";
import type { Scope } from "../../src/contract/scopes.ts";
import { createLog } from "../../src/daemon/log.ts";
import { createRuntime } from "../../src/daemon/runtime.ts";
import type { NodeType } from "../../src/engine/node.ts";
import { nodes } from "../../src/nodes/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { fakeWorld } from "./fake-world.ts";

export type Answer<Body = Record<string, unknown>> = {
  status: number;
  headers: Headers;
  body: Body;
};

export type RuntimeOptions = {
  now?: string;
  limits?: Partial<Limits>;
  /** Of the key that `get` and `post` use; default all of them. */
  scopes?: readonly Scope[];
  catalogue?: readonly NodeType[];
};

const base = "http://127.0.0.1:7717";
const allScopes: readonly Scope[] = [
  "actions:read",
  "actions:run",
  "runs:read",
  "approvals:decide",
  "connectors:read",
  "connectors:write",
  "workflows:read",
  "workflows:write",
  "workflows:run",
];

/**
 * A whole runtime in memory, without sockets, on a store of its own and a clock that the test moves. Ends with the test.
 */
export async function testRuntime(options: RuntimeOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "stepgate-runtime-"));
  const { world, clock } = fakeWorld(options.now ?? "2026-01-15T10:00:00.000Z");
  const store = await openSqliteStore({ file: join(folder, "test.db"), writer: "inline" });
  const logged: string[] = [];
  const runtime = createRuntime({
    store,
    world,
    limits: { ...defaultLimits, ...options.limits },
    catalogue: options.catalogue ?? nodes,
    log: createLog({ format: "json", level: "warn", write: (line) => logged.push(line) }),
    version: "0.0.0-test",
    userId: "tester",
    randomBytes,
    status: (activeRuns) => ({
      running: true,
      url: base,
      pid: 1,
      version: "0.0.0-test",
      instance_id: "test",
      db: "test.db",
      db_schema: store.schemaVersion(),
      started_at: clock.now().toISOString(),
      active_runs: activeRuns,
    }),
    onStop: () => undefined,
  });
  await runtime.open({ host: "127.0.0.1", port: 7717, baseUrl: null });
  onTestFinished(async () => {
    runtime.beginStop();
    await runtime.stop(0);
    await store.close();
    rmSync(folder, { recursive: true });
  });

  /** A request over HTTP; the path is below the runtime API unless it begins with //. */
  async function request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const url = path.startsWith("//") ? base + path.slice(1) : `${base}/api/v1/runtime${path}`;
    return runtime.runtimeApp(new Request(url, { method, ...init }));
  }

  /** A request over the control socket. */
  async function control<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    return readAnswer(await runtime.controlApp(new Request(`http://localhost${path}`, init)));
  }

  async function mintKey(scopes?: readonly Scope[], extra: Record<string, unknown> = {}): Promise<MintedKey> {
    const answer = await control<MintedKey>("POST", "/control/keys", { name: "test", ...(scopes && { scopes }), ...extra });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }

  const { secret } = await mintKey(options.scopes ?? allScopes);
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  async function get<Body = Record<string, unknown>>(path: string, key = secret): Promise<Answer<Body>> {
    return readAnswer(await request("GET", path, { headers: bearer(key) }));
  }

  async function post<Body = Record<string, unknown>>(path: string, body?: unknown, key = secret): Promise<Answer<Body>> {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return readAnswer(await request("POST", path, { headers: bearer(key), ...(text === undefined ? {} : { body: text }) }));
  }

  return {
    clock,
    world,
    store,
    runtime,
    logged,
    secret,
    request,
    control,
    mintKey,
    get,
    post,
    bearer,
    /** Settles when a run has begun its first step. */
    async started(runId: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = store.watchRuns(runId, ({ seq }) => seq > 0 && resolve());
      const run = await store.findRun(1, runId);
      if (run?.seq === 0) await promise;
      stop();
    },
    /** The newest run, as soon as there is one. */
    async newestRun(): Promise<{ run_id: string }> {
      const { promise, resolve } = Promise.withResolvers<{ run_id: string }>();
      const stop = store.watchRuns(null, ({ runId }) => resolve({ run_id: runId }));
      const { runs } = await store.listRuns({ workspaceId: 1, limit: 1, offset: 0 });
      if (runs[0]) resolve({ run_id: runs[0].id });
      const newest = await promise;
      stop();
      return newest;
    },
    /** Settles when requests that were made have come as far as they can without time passing. */
    async settled(): Promise<void> {
      for (let turns = 0; turns < 20; turns++) await world.yieldTurn();
    },
    /** Settles when the uses of keys that are being written have been. */
    async keysWritten(): Promise<void> {
      await store.touchKeys([]);
    },
    /** Publishes one file; throws with the issues when it is refused. */
    async publish(text: string, extra: Partial<PublishRequest> = {}): Promise<PublishResult> {
      const files = [{ file: "test.yaml", text }];
      const { body } = await control<PublishResult>("POST", "/control/publish", { files, ...extra });
      if (body.failed?.length !== 0) throw new Error(JSON.stringify(body, null, 2));
      return body;
    },
    /** Starts a run and returns it when it has ended. */
    async runToEnd(slug: string, input: unknown = {}): Promise<RunDetail> {
      const started = await post<{ run_id: string }>(`/actions/${slug}/run`, { input });
      if (started.status !== 202) throw new Error(JSON.stringify(started.body));
      const { body } = await get<RunDetail>(`/runs/${started.body.run_id}?wait=60`);
      if (!isTerminal(body.status)) throw new Error(`The run is ${body.status}`);
      return body;
    },
  };
}

export async function readAnswer<Body>(response: Response): Promise<Answer<Body>> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text === "" ? null : JSON.parse(text)) as Body };
}
