import type { BreakerSettings } from "../../contract/outside.ts";
import type { BreakerRecord, Store } from "../../store/store.ts";
import type { StepOutcome } from "../node.ts";
import type { World } from "../world.ts";
import { type BreakerState, type Verdict, afterCall, closedBreaker, isForgettable, openForMs } from "./breaker.ts";

/** Whose failures count together: a connector with its connection, or with the host that it calls without one. */
export type Integration = {
  workspaceId: number;
  connector: string;
  connectionId: string | null;
  target: string | null;
};

/** Leave for one call. Whoever got it has to tell how the call went. */
export type Permit = { tell(verdict: Verdict): Promise<void> };

/** A breaker that is not at rest. */
export type BreakerView = Integration & {
  status: "closed" | "open" | "half_open";
  failures: number;
  openedAt: number | null;
  /** When an open one lets a trial call through. */
  trialAt: number | null;
};

export type Breakers = {
  /** Leave for a call, or how long the breaker stays open. Of calls side by side one gets the trial. */
  ask(integration: Integration): Promise<Permit | { retryAfterMs: number }>;
  /** Those of a workspace, or of all, with failures or an opening. */
  list(workspaceId: number | null): Promise<BreakerView[]>;
  /** Closes the breakers of a workspace that match and forgets their failures; returns them as they were. */
  reset(workspaceId: number, filter: { connector?: string; connectionId?: string }): Promise<BreakerView[]>;
};

type Entry = { integration: Integration; state: BreakerState; isTried: boolean };

/** So many integrations are remembered before those whose failures are too old to count are forgotten. */
const pruneAbove = 1000;
/** What calls during a trial are told to wait. */
const trialWaitMs = 1000;

type BreakerStore = Pick<Store, "listBreakers" | "saveBreaker">;

/**
 * The breakers of all integrations. Their state is read once and kept here, for this daemon is the only one that writes
 * it; it is written when it changes, so that a call that goes well costs no commit.
 */
export function createBreakers(store: BreakerStore, world: Pick<World, "now">, settings: BreakerSettings): Breakers {
  return new KeptBreakers(store, world, settings);
}

class KeptBreakers implements Breakers {
  readonly #store: BreakerStore;
  readonly #world: Pick<World, "now">;
  readonly #settings: BreakerSettings;
  readonly #entries = new Map<string, Entry>();
  #loading: Promise<void> | null = null;

  constructor(store: BreakerStore, world: Pick<World, "now">, settings: BreakerSettings) {
    this.#store = store;
    this.#world = world;
    this.#settings = settings;
  }

  async ask(integration: Integration): Promise<Permit | { retryAfterMs: number }> {
    await this.#load();
    const entry = this.#entries.get(keyOf(integration));
    const wait = entry ? openForMs(entry.state, this.#now(), this.#settings) : null;
    const isTrial = wait !== null;
    if (entry && isTrial) {
      if (wait > 0) return { retryAfterMs: wait };
      if (entry.isTried) return { retryAfterMs: trialWaitMs };
      entry.isTried = true;
    }
    let isTold = false;
    return {
      tell: async (verdict) => {
        if (isTold) return;
        isTold = true;
        await this.#tell(integration, { verdict, isTrial });
      },
    };
  }

  async list(workspaceId: number | null): Promise<BreakerView[]> {
    await this.#load();
    return [...this.#entries.values()]
      .filter(({ integration }) => workspaceId === null || integration.workspaceId === workspaceId)
      .filter(({ state }) => !this.#isAtRest(state))
      .map((entry) => this.#view(entry));
  }

  async reset(
    workspaceId: number,
    { connector, connectionId }: { connector?: string; connectionId?: string },
  ): Promise<BreakerView[]> {
    await this.#load();
    const found = [...this.#entries.values()]
      .filter(({ integration }) => integration.workspaceId === workspaceId)
      .filter(({ integration }) => connector === undefined || integration.connector === connector)
      .filter(({ integration }) => connectionId === undefined || integration.connectionId === connectionId);
    const views = found.map((entry) => this.#view(entry));
    await this.#forget(found);
    return views;
  }

  #now(): number {
    return this.#world.now().getTime();
  }

  #isAtRest(state: BreakerState): boolean {
    return isForgettable(state, this.#now(), this.#settings);
  }

  async #load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    await this.#loading;
  }

  async #read(): Promise<void> {
    const entries = (await this.#store.listBreakers()).map(toEntry);
    for (const entry of entries) this.#entries.set(keyOf(entry.integration), entry);
    await this.#forget(entries.filter(({ state }) => this.#isAtRest(state)));
  }

  async #tell(integration: Integration, call: { verdict: Verdict; isTrial: boolean }): Promise<void> {
    const key = keyOf(integration);
    const entry = this.#entries.get(key);
    if (entry && call.isTrial) entry.isTried = false;
    const before = entry?.state ?? closedBreaker;
    const state = afterCall(before, { ...call, now: this.#now() }, this.#settings);
    if (state === before) return;
    const after: Entry = { integration, state, isTried: false };
    if (this.#isAtRest(state)) return this.#forget([after]);
    this.#entries.set(key, after);
    await this.#store.saveBreaker({ ...integration, state });
    // Workflows choose the hosts that they call, so that there is no end of integrations.
    if (this.#entries.size <= pruneAbove) return;
    await this.#forget([...this.#entries.values()].filter((each) => this.#isAtRest(each.state)));
  }

  async #forget(entries: readonly Entry[]): Promise<void> {
    for (const { integration } of entries) this.#entries.delete(keyOf(integration));
    await Promise.all(entries.map(async ({ integration }) => this.#store.saveBreaker({ ...integration, state: null })));
  }

  #view({ integration, state, isTried }: Entry): BreakerView {
    const { failures, opening } = state;
    const wait = openForMs(state, this.#now(), this.#settings);
    const status = wait === null ? "closed" : isTried ? "half_open" : "open";
    const trialAt = wait === null ? null : this.#now() + wait;
    return { ...integration, status, failures: failures.length, openedAt: opening?.at ?? null, trialAt };
  }
}

/** What an outcome says of the service: an answer that refuses the call is an answer (contract 5). */
export function verdictOf(outcome: StepOutcome): Verdict {
  if (outcome.kind !== "fail") return "answered";
  const { code, retryable } = outcome.error;
  const hasFailed = countedCodes.has(code) || (code === "LLM_FAILED" && retryable === true);
  return hasFailed ? "failed" : "answered";
}

const countedCodes: ReadonlySet<string> = new Set(["UPSTREAM_ERROR", "TIMEOUT", "RATE_LIMITED", "LLM_TIMEOUT"]);

function keyOf({ workspaceId, connector, connectionId, target }: Integration): string {
  return JSON.stringify([workspaceId, connector, connectionId, target]);
}

function toEntry({ workspaceId, connector, connectionId, target, state }: BreakerRecord): Entry {
  return {
    integration: { workspaceId, connector, connectionId, target },
    state: state ?? closedBreaker,
    isTried: false,
  };
}
