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

/** What calls during a trial are told to wait. */
const trialWaitMs = 1000;

/**
 * The breakers of all integrations. Their state is read once and kept here, for this daemon is the only one that writes
 * it; it is written when it changes, so that a call that goes well costs no commit.
 */
export function createBreakers(
  store: Pick<Store, "listBreakers" | "saveBreaker">,
  world: Pick<World, "now">,
  settings: BreakerSettings,
): Breakers {
  const entries = new Map<string, Entry>();
  let loading: Promise<void> | null = null;
  const now = (): number => world.now().getTime();

  async function load(): Promise<void> {
    for (const record of await store.listBreakers()) {
      const entry = toEntry(record);
      if (isForgettable(entry.state, now(), settings)) await store.saveBreaker(toRecord(entry.integration, null));
      else entries.set(keyOf(entry.integration), entry);
    }
  }

  async function loaded(): Promise<void> {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    await loading;
  }

  async function tell(integration: Integration, call: { verdict: Verdict; isTrial: boolean }): Promise<void> {
    const key = keyOf(integration);
    const entry = entries.get(key);
    if (entry && call.isTrial) entry.isTried = false;
    const before = entry?.state ?? closedBreaker;
    const state = afterCall(before, { ...call, now: now() }, settings);
    if (state === before) return;
    const isAtRest = isForgettable(state, now(), settings);
    if (isAtRest) entries.delete(key);
    else entries.set(key, { integration, state, isTried: false });
    await store.saveBreaker(toRecord(integration, isAtRest ? null : state));
  }

  function view({ integration, state, isTried }: Entry): BreakerView {
    const { failures, opening } = state;
    const wait = openForMs(state, now(), settings);
    const status = wait === null ? "closed" : isTried ? "half_open" : "open";
    const trialAt = wait === null ? null : now() + wait;
    return { ...integration, status, failures: failures.length, openedAt: opening?.at ?? null, trialAt };
  }

  return {
    async ask(integration) {
      await loaded();
      const entry = entries.get(keyOf(integration));
      const wait = entry ? openForMs(entry.state, now(), settings) : null;
      const isTrial = wait !== null;
      if (entry && isTrial) {
        if (wait > 0) return { retryAfterMs: wait };
        if (entry.isTried) return { retryAfterMs: trialWaitMs };
        entry.isTried = true;
      }
      let isTold = false;
      return {
        async tell(verdict) {
          if (isTold) return;
          isTold = true;
          await tell(integration, { verdict, isTrial });
        },
      };
    },
    async list(workspaceId) {
      await loaded();
      const kept = [...entries.values()].filter(({ state }) => !isForgettable(state, now(), settings));
      return kept
        .filter(({ integration }) => workspaceId === null || integration.workspaceId === workspaceId)
        .map(view);
    },
    async reset(workspaceId, filter) {
      await loaded();
      const found = [...entries.values()].filter(
        ({ integration }) => integration.workspaceId === workspaceId && matches(integration, filter),
      );
      const views = found.map(view);
      for (const { integration } of found) entries.delete(keyOf(integration));
      await Promise.all(found.map(async ({ integration }) => store.saveBreaker(toRecord(integration, null))));
      return views;
    },
  };
}

/** What an outcome says of the service: an answer that refuses the call is an answer (contract 5). */
export function verdictOf(outcome: StepOutcome): Verdict {
  if (outcome.kind !== "fail") return "answered";
  const { code, retryable } = outcome.error;
  const hasFailed = countedCodes.has(code) || (code === "LLM_FAILED" && retryable === true);
  return hasFailed ? "failed" : "answered";
}

const countedCodes: ReadonlySet<string> = new Set(["UPSTREAM_ERROR", "TIMEOUT", "RATE_LIMITED", "LLM_TIMEOUT"]);

function matches(integration: Integration, { connector, connectionId }: { connector?: string; connectionId?: string }) {
  const isConnector = connector === undefined || integration.connector === connector;
  return isConnector && (connectionId === undefined || integration.connectionId === connectionId);
}

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

function toRecord(integration: Integration, state: BreakerState | null): BreakerRecord {
  return { ...integration, state };
}
