import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Json } from "../../src/contract/json.ts";
import { defaultLimits } from "../../src/contract/limits.ts";
import { defaultOutside } from "../../src/contract/outside.ts";
import { isTerminal } from "../../src/contract/run.ts";
import type { WorkflowDefinition } from "../../src/contract/workflow.ts";
import { type DueLoop, createDueLoop } from "../../src/daemon/loops/due-loop.ts";
import { type Worker, createWorker } from "../../src/daemon/loops/worker.ts";
import { createRun } from "../../src/engine/create-run.ts";
import { compileGraph } from "../../src/engine/graph/graph.ts";
import { done, fail } from "../../src/engine/node.ts";
import { passMoment } from "../../src/engine/pass-moment.ts";
import { createCipher } from "../../src/engine/redaction/cipher.ts";
import { createSealer } from "../../src/engine/redaction/seal.ts";
import { openPayloads } from "../../src/engine/redaction/seal-payload.ts";
import type { Services } from "../../src/engine/services.ts";
import { createWorkspaceValues } from "../../src/engine/workspace-values.ts";
import type { World } from "../../src/engine/world.ts";
import type { EventRecord, NewRun, RunCommit, Store } from "../../src/store/store.ts";
import { type Clock, fakeWorld } from "./fake-world.ts";
import { type Undisturbed, ends, findBroken, keyOf } from "./find-broken.ts";
import { withNoop } from "./other-noop.ts";
import { randomWorkflow, seededRandom } from "./random-workflow.ts";

/** Where the simulated runs are put: a version that only lends them its id. */
export type SimulatedPlace = Pick<
  NewRun,
  "workspaceId" | "workflowId" | "versionId" | "version" | "actionId" | "actionSlug"
>;

const sealer = createSealer(new Uint8Array(32).fill(5), randomBytes);
const cipher = createCipher(new Uint8Array(32).fill(5), randomBytes);
/** Below the number of crashes after which a run is given up. */
const mostCrashes = 4;

/** A `noop` that calls another system, in the way its node says. */
const catalogue = withNoop({
  config: z.object({ effects: z.enum(["none", "idempotent", "unsafe"]) }),
  effects: ({ effects }) => effects,
  async run({ step, upstream, fetch, config, signal }) {
    const call = `${step.id}[${step.iteration?.join(",") ?? ""}]#${step.attempt}`;
    const answer = await fetch(`http://sim/${config.effects}/${call}`, { signal });
    return answer.ok ? done(upstream) : fail("UPSTREAM_ERROR", "The other system is down: ask ops@example.com");
  },
});

/**
 * Lives a random workflow's run through a history of faults that the seed decides: processes that die before or after a
 * commit, processes that are taken for dead and go on, slow disks, other systems that are slow or fail. Throws when a
 * promise of the engine is broken (research/reliability 3.1).
 */
export async function simulateHistory(store: Store, place: SimulatedPlace, seed: number): Promise<void> {
  await new History(store, place, seed).live();
}

/** One process of the daemon. A dead one does nothing any more; a zombie goes on until it is fenced. */
type Process = { isDead: boolean; worker: Worker; services: Services; due: DueLoop };

class History {
  readonly #store: Store;
  readonly #place: SimulatedPlace;
  readonly #random: () => number;
  readonly #clock: Clock;
  readonly #world: World;
  readonly #plain: Undisturbed;
  readonly #definition: WorkflowDefinition;
  readonly #calls = new Map<string, number>();
  readonly #broken: string[] = [];
  readonly #loops: DueLoop[] = [];
  #crashes = 0;
  #failures = 0;
  #runId = "";
  #needsRestart = false;

  constructor(store: Store, place: SimulatedPlace, seed: number) {
    this.#store = store;
    this.#place = place;
    this.#random = seededRandom(seed);
    const { world, clock } = fakeWorld("2026-01-15T10:00:00.000Z");
    this.#clock = clock;
    this.#world = { ...world, random: this.#random };
    const { definition, input } = randomWorkflow(seed);
    this.#plain = { definition, input: { ...input, mail: "ada@example.com", list: withMail(input["list"]) } };
    this.#definition = { ...definition, nodes: definition.nodes.map((node) => this.#withEffects(node)) };
  }

  async live(): Promise<void> {
    let process = this.#boot();
    await process.due.start();
    const isAcknowledged = await this.#accept(process);
    let isOver = false;
    const statuses: string[] = [];
    const unwatch = this.#store.watchRuns(this.#runId, ({ status }) => {
      if (isOver) this.#broken.push(`the run was ${statuses.at(-1)} and became ${status}`);
      statuses.push(status);
      isOver ||= isTerminal(status);
    });
    for (let round = 0; round < 400; round += 1) {
      for (let turns = 0; turns < 4; turns += 1) await this.#world.yieldTurn();
      const run = await this.#store.findRun(this.#place.workspaceId, this.#runId);
      if (!run && isAcknowledged) throw new Error("An acknowledged run is not there");
      if (!run || isTerminal(run.status)) break;
      if (this.#needsRestart) {
        this.#needsRestart = false;
        process = this.#boot();
        await process.worker.recover();
        await process.due.start();
      }
      this.#clock.advance(Math.ceil(this.#random() * 400));
    }
    unwatch();
    for (const due of this.#loops) due.stop();
    await this.#check();
  }

  #withEffects(node: WorkflowDefinition["nodes"][number]): WorkflowDefinition["nodes"][number] {
    if (node.type !== "noop") return node;
    const effects = ["none", "idempotent", "idempotent", "unsafe"][Math.floor(this.#random() * 4)] ?? "none";
    return { ...node, data: { ...node.data, effects, maxRetries: Math.floor(this.#random() * 3) } };
  }

  async #accept({ services }: Process): Promise<boolean> {
    this.#runId = this.#world.newId();
    const { input } = this.#plain;
    const common = { userId: "sim", source: "action", status: "accepted", dryRun: false, completedAt: null } as const;
    const createdAt = this.#clock.now().getTime();
    const caps = { hourlyCap: null, maxQueued: null };
    try {
      const run = await createRun(services, { ...this.#place, ...common, ...caps, id: this.#runId, input, createdAt });
      services.wake(run);
      return true;
    } catch (error) {
      if (this.#needsRestart) return false;
      throw error;
    }
  }

  #boot(): Process {
    const process: { isDead: boolean } = { isDead: false };
    const store = this.#faulty(process);
    const world: World = {
      ...this.#world,
      after: (ms, callback) => this.#world.after(ms, () => process.isDead || callback()),
      fetch: async (url, init) => this.#answer(process, typeof url === "string" ? url : "", init?.signal ?? null),
    };
    const graph = compileGraph(this.#definition, catalogue);
    const versions = { load: async () => ({ graph, onFailure: null }) };
    const limits = { ...defaultLimits, stepTimeoutSeconds: 5 };
    const parts = {
      store,
      world,
      limits,
      versions,
      sealer,
      values: createWorkspaceValues(store, cipher),
      scripts: noScripts,
      retries: defaultOutside.retries,
      catalogue,
    };
    // The run needs no more of the services than these.
    const services = parts as unknown as Services;
    const worker = createWorker({ ...services, log: () => undefined, onError: () => undefined });
    services.wake = (run) => worker.wake(run);
    services.resume = (run) => worker.resume(run);
    services.traceparent = () => null;
    const due = createDueLoop({
      store,
      world,
      handle: async (moment) => (process.isDead ? undefined : passMoment(services, moment, async () => undefined)),
      onJump: () => undefined,
      onError: () => undefined,
    });
    this.#loops.push(due);
    return Object.assign(process, { worker, services, due });
  }

  /** Every write takes its time; some are the last thing that a process does. */
  #faulty(process: { isDead: boolean }): Store {
    let before: Promise<unknown> = Promise.resolve();
    const write = async <V>(perform: () => Promise<V>): Promise<V> => {
      // A store performs writes in the order in which they were asked for.
      const mine = before.then(async () => performNext(perform));
      before = mine.catch(() => undefined);
      return mine;
    };
    const performNext = async <V>(perform: () => Promise<V>): Promise<V> => {
      for (let turns = Math.floor(this.#random() * 3); turns > 0; turns -= 1) await this.#world.yieldTurn();
      if (process.isDead) return never();
      const fate = this.#crashes < mostCrashes ? this.#random() : 1;
      if (fate >= 0.15) return perform();
      this.#crashes += 1;
      this.#needsRestart = true;
      // The next process is started while this one still believes that it has the run.
      if (fate < 0.05) return perform();
      process.isDead = true;
      if (fate < 0.1) await perform();
      return never();
    };
    return {
      ...this.#store,
      createRun: async (run) => {
        const isDying = this.#random() < 0.1;
        if (!isDying) return this.#store.createRun(run);
        process.isDead = true;
        this.#needsRestart = true;
        if (this.#random() < 0.5) await this.#store.createRun(run);
        throw new Error("The process died");
      },
      commitRun: async (commit: RunCommit) => write(async () => this.#store.commitRun(commit)),
    };
  }

  async #answer(process: { isDead: boolean }, url: string, signal: AbortSignal | null): Promise<Response> {
    if (process.isDead) return never();
    const [effects = "", call = ""] = url.slice("http://sim/".length).split("/");
    await this.#checkCall(effects, call);
    this.#calls.set(call, (this.#calls.get(call) ?? 0) + 1);
    if (effects === "unsafe" && (this.#calls.get(call) ?? 0) > 1) this.#broken.push(`${call} acted twice`);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    signal?.addEventListener("abort", () => reject(new Error("aborted")));
    const fate = this.#random();
    const isLost = fate < 0.02;
    if (fate < 0.1) this.#failures += 1;
    if (!isLost)
      this.#world.after(this.#random() * 300, () => resolve(new Response("{}", { status: fate < 0.1 ? 503 : 200 })));
    const answer = await promise;
    return process.isDead ? never() : answer;
  }

  /** A step acts on the world only after its start is durable, and never after its end is. */
  async #checkCall(effects: string, call: string): Promise<void> {
    const [step = "", attempt = ""] = call.split("#");
    const events = (await this.#journal()).filter((event) => keyOf(event) === step);
    if (events.some(({ type }) => ends.has(type))) this.#broken.push(`${call} acted after its end`);
    const isStarted = events.some((event) => event.type === "step_started" && event.attempt === Number(attempt));
    if (effects !== "none" && !isStarted) this.#broken.push(`${call} acted before its start was durable`);
  }

  async #journal(): Promise<EventRecord[]> {
    return this.#store.readJournal(this.#runId, 0, 1_000_000);
  }

  async #check(): Promise<void> {
    const run = await this.#store.findRun(this.#place.workspaceId, this.#runId);
    if (run) {
      const sealed = await this.#store.findSealed(this.#runId, "result");
      const stored = run.isResultRedacted ? null : run.output;
      const output = sealed ? openPayloads(sealer, this.#runId, "result", sealed).output : stored;
      const events = await this.#journal();
      this.#broken.push(...findBroken(run, events, output, this.#failures === 0 ? this.#plain : null));
    }
    if (this.#broken.length > 0) throw new Error(this.#broken.join("; "));
  }
}

const noScripts = {
  run: async () => Promise.reject(new Error("no scripts in a simulation")),
  stop: () => undefined,
} as unknown as Services["scripts"];

async function never(): Promise<never> {
  return new Promise(() => undefined);
}

function withMail(list: Json | undefined): Json {
  return Array.isArray(list) ? list.map((item) => (item === "two" ? "two@example.com" : item)) : [];
}
