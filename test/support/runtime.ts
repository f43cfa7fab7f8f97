import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PublishRequest, PublishResult } from "../../src/contract/control.ts";
import type { MintedKey } from "../../src/contract/key.ts";
import { type Limits, defaultLimits } from "../../src/contract/limits.ts";
import { type OutsideSettings, defaultOutside } from "../../src/contract/outside.ts";
import type { Retention } from "../../src/contract/retention.ts";
import { type RunDetail, isTerminal } from "../../src/contract/run.ts";
import { type Scope, scopes as allScopes } from "../../src/contract/scopes.ts";
import { openFileFolder } from "../../src/daemon/files/file-folder.ts";
import { createLog } from "../../src/daemon/log.ts";
import type { Channel } from "../../src/daemon/notify/channels.ts";
import { type ApprovalSettings, type Runtime, createRuntime } from "../../src/daemon/runtime.ts";
import type { ResolveName } from "../../src/daemon/egress/guarded-agent.ts";
import type { Connector } from "../../src/engine/connector.ts";
import type { Tracing } from "../../src/daemon/tracing/tracing.ts";
import type { NodeType } from "../../src/engine/node.ts";
import type { World } from "../../src/engine/world.ts";
import { nodes } from "../../src/nodes/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type Clock, fakeWorld } from "./fake-world.ts";
import { writeNewDatabase } from "./new-database.ts";

export type Answer<Body = Record<string, unknown>> = { status: number; headers: Headers; body: Body };

export type RuntimeOptions = {
  now?: string;
  limits?: Partial<Limits>;
  /** Of the key that `get` and `post` use; default all of them. */
  scopes?: readonly Scope[];
  catalogue?: readonly NodeType[];
  masterKey?: Uint8Array;
  approvals?: Partial<ApprovalSettings>;
  /** Makes the traces of each daemon. */
  tracing?(world: World): Tracing;
  /** What people are told goes here. */
  channels?: readonly Channel[];
  retention?: Retention;
  /** Under which senders reach webhooks. */
  webhookBase?: string;
  /** Where files are kept. */
  filesFolder?: string;
  /** Default the bundled ones. */
  connectors?: readonly Connector[];
  outside?: Partial<OutsideSettings>;
  environment?: Readonly<Record<string, string>>;
  resolveName?: ResolveName;
  firesSchedules?: boolean;
};

const noChannels = { command: null, webhook: null, webhookSecret: null, desktop: false };
const version = "0.0.0-test";
const base = "http://127.0.0.1:7717";

/** The header of a key. */
export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** The parts of a Response with a JSON body. */
export async function readAnswer<Body>(response: Response): Promise<Answer<Body>> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text === "" ? null : JSON.parse(text)) as Body };
}

/**
 * A whole runtime in memory, without sockets, on a store of its own and a clock that the test moves. Ends with the test.
 */
export async function testRuntime(options: RuntimeOptions = {}): Promise<TestRuntime> {
  const folder = mkdtempSync(join(tmpdir(), "stepgate-runtime-"));
  const file = join(folder, "test.db");
  await writeNewDatabase(file);
  const store = await openSqliteStore({ file, writer: "inline" });
  const test = new TestRuntime(store, { filesFolder: join(folder, "files"), ...options });
  onTestFinished(async () => {
    await test.end();
    rmSync(folder, { recursive: true });
  });
  await test.open();
  test.secret = (await test.mintKey(options.scopes ?? allScopes)).secret;
  return test;
}

export class TestRuntime {
  readonly store: Store;
  readonly clock: Clock;
  runtime: Runtime;
  /** Lines of the log from warnings up. */
  readonly logged: string[] = [];
  secret = "";
  #published = 0;
  #life = { isOver: false };
  readonly #yieldTurn: () => Promise<void>;
  readonly #begin: () => Runtime;
  readonly #webhookBase: string | null;

  constructor(store: Store, options: RuntimeOptions) {
    const { world, clock } = fakeWorld(options.now ?? "2026-01-15T10:00:00.000Z");
    const started_at = clock.now().toISOString();
    this.store = store;
    this.clock = clock;
    this.#webhookBase = options.webhookBase ?? null;
    this.#yieldTurn = world.yieldTurn;
    this.#begin = () =>
      createRuntime({
        store,
        world: this.#bound(world),
        limits: { ...defaultLimits, ...options.limits },
        catalogue: options.catalogue ?? nodes,
        log: createLog({ format: "json", level: "warn", write: (line) => this.logged.push(line) }),
        version,
        userId: "tester",
        randomBytes,
        masterKey: options.masterKey ?? new Uint8Array(32).fill(1),
        approvals: { requireKey: false, links: false, notify: noChannels, ...options.approvals },
        channels: options.channels ?? [],
        ...(options.tracing && { tracing: options.tracing(world) }),
        ...(options.filesFolder && { content: openFileFolder(options.filesFolder) }),
        ...(options.retention && { retention: options.retention }),
        ...(options.connectors && { connectors: options.connectors }),
        ...(options.resolveName && { resolveName: options.resolveName }),
        firesSchedules: options.firesSchedules ?? true,
        outside: { ...defaultOutside, ...options.outside },
        environment: options.environment ?? {},
        status: (active_runs) => {
          const place = { url: base, pid: 1, instance_id: "test", db: "test.db", db_schema: store.schemaVersion() };
          const given = { host: null, port: null };
          return { running: true, ...place, given, version, started_at, active_runs };
        },
        onStop: () => undefined,
      });
    this.runtime = this.#begin();
  }

  async open(): Promise<void> {
    const place = { host: "127.0.0.1", port: 7717, baseUrl: null };
    await this.runtime.open({ ...place, webhookBase: this.#webhookBase });
  }

  /** Another daemon on the same store, after a time in which there was none. */
  async restart(downMs = 0): Promise<void> {
    await this.#stop();
    this.clock.advance(downMs);
    this.runtime = this.#begin();
    await this.open();
  }

  /** A request over HTTP; the path is below the runtime API unless it begins with //. */
  async request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const url = path.startsWith("//") ? base + path.slice(1) : `${base}/api/v1/runtime${path}`;
    return this.runtime.runtimeApp(new Request(url, { method, ...init }));
  }

  async get<Body = Record<string, unknown>>(path: string, key = this.secret): Promise<Answer<Body>> {
    return readAnswer(await this.request("GET", path, { headers: bearer(key) }));
  }

  /** A body that is text is sent as it is. */
  async post<Body = Record<string, unknown>>(path: string, body?: unknown, key = this.secret): Promise<Answer<Body>> {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return readAnswer(await this.request("POST", path, { headers: bearer(key), body: text ?? null }));
  }

  /** A request over the control socket. */
  async control<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    return readAnswer(await this.runtime.controlApp(new Request(`http://localhost${path}`, init)));
  }

  async mintKey(scopes?: readonly Scope[], extra: Record<string, unknown> = {}): Promise<MintedKey> {
    const request = { name: "test", ...(scopes && { scopes }), ...extra };
    const answer = await this.control<MintedKey>("POST", "/control/keys", request);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }

  /** Publishes one file; throws with the issues when it is refused. */
  async publish(text: string, extra: Partial<PublishRequest> = {}): Promise<PublishResult> {
    this.#published += 1;
    const request = { files: [{ file: `${this.#published}.yaml`, text }], ...extra };
    const { body } = await this.control<PublishResult>("POST", "/control/publish", request);
    if (body.failed?.length !== 0) throw new Error(JSON.stringify(body, null, 2));
    return body;
  }

  /** Starts a run and returns it when it has ended. */
  async runToEnd(slug: string, input: unknown = {}): Promise<RunDetail> {
    const started = await this.post<{ run_id: string }>(`/actions/${slug}/run`, { input });
    if (started.status !== 202) throw new Error(JSON.stringify(started.body));
    const { body } = await this.get<RunDetail>(`/runs/${started.body.run_id}?wait=60`);
    if (!isTerminal(body.status)) throw new Error(`The run is ${body.status}`);
    return body;
  }

  /** Settles when a run has begun its first step. */
  async started(runId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.store.watchRuns(runId, ({ seq }) => seq > 0 && resolve());
    const run = await this.store.findRun(1, runId);
    if (run?.seq === 0) await promise;
    stop();
  }

  /** The newest run, as soon as there is one. */
  async newestRun(): Promise<{ run_id: string }> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const stop = this.store.watchRuns(null, ({ runId }) => resolve(runId));
    const { runs } = await this.store.listRuns({ workspaceId: 1, limit: 1, offset: 0 });
    if (runs[0]) resolve(runs[0].id);
    const run_id = await promise;
    stop();
    return { run_id };
  }

  /** Settles when everything that was asked for has come as far as it can without time passing. */
  async settled(): Promise<void> {
    for (let turns = 0; turns < 20; turns++) await this.#yieldTurn();
  }

  /** Stops without a drain: a step that a test holds is left where it is. */
  async end(): Promise<void> {
    await this.#stop();
    await this.store.close();
  }

  /** A world whose timers end with the daemon that set them, as those of a process do. */
  #bound(world: World): World {
    const life = { isOver: false };
    this.#life = life;
    return { ...world, after: (ms, callback) => world.after(ms, () => life.isOver || callback()) };
  }

  async #stop(): Promise<void> {
    this.runtime.beginStop();
    const stopped = this.runtime.stop(0);
    this.clock.advance(0);
    await stopped;
    this.#life.isOver = true;
  }
}
