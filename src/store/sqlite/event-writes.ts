import type { Database } from "better-sqlite3";
import type { EventBatch, FailedPoll, RunChange } from "../store.ts";
import { prepareCreateRun, type RunInsert } from "./create-run.ts";
import { answer, type Effect } from "./effect.ts";
import { prepareSetMoment } from "./moment-writes.ts";

/** A batch with its payloads as JSON texts. */
export type EventInsert = Omit<EventBatch, "events" | "limitErrors" | "poll"> & {
  events: readonly { digest: Uint8Array; run: RunInsert | null }[];
  limitErrors: Record<"hourly_cap" | "monthly_quota", string>;
  poll?: Omit<NonNullable<EventBatch["poll"]>, "cursor"> & { cursor: string };
};

/** As the store's answer, but for the records, which the caller knows. */
export type EventAnswer = { kind: "stale" } | { kind: "taken"; events: TakenRow[]; isComplete: boolean };
type TakenRow = { kind: "started" | "failed" } | { kind: "seen"; runId: string | null };

/** Starts the runs of events, notes the events and where their poll stands. */
export function prepareTakeEvents(db: Database): (batch: EventInsert) => Effect<EventAnswer> {
  const listening = prepareListening(db);
  const take = prepareTakeEvent(db);
  const polls = preparePollWrites(db);

  return ({ subscriptionId, at, events, limitErrors, poll }) => {
    const id = listening(subscriptionId);
    if (id === null || (poll && !polls.isAt(id, poll.seen))) return answer({ kind: "stale" });
    const changes: RunChange[] = [];
    const taken: TakenRow[] = [];
    for (const event of events) {
      const result = take(id, at, event, limitErrors);
      if (!result) break;
      taken.push(result.taken);
      changes.push(...result.changes);
    }
    const isComplete = taken.length === events.length;
    if (poll && isComplete) polls.succeed(id, subscriptionId, { ...poll, at });
    if (poll && !isComplete) polls.postpone(subscriptionId, poll.retryAt);
    return { value: { kind: "taken", events: taken, isComplete }, changes };
  };
}

type TakeEvent = (
  subscription: number,
  at: number,
  event: EventInsert["events"][number],
  limitErrors: EventInsert["limitErrors"],
) => { taken: TakenRow; changes: readonly RunChange[] } | null;

/** Takes one event; null when the queue has no room for its run. */
function prepareTakeEvent(db: Database): TakeEvent {
  const createRun = prepareCreateRun(db);
  const find = db.prepare<[number, Uint8Array], { runId: string | null }>(
    "SELECT run_id AS runId FROM seen_events WHERE subscription_id = +? AND event = +?",
  );
  // One that is told again and again stays: services list the past with every poll.
  const renew = db.prepare("UPDATE seen_events SET at = ? WHERE subscription_id = ? AND event = ? AND at < ?");
  const insert = db.prepare("INSERT INTO seen_events (subscription_id, event, at, run_id) VALUES (?, ?, ?, ?)");

  return (subscription, at, { digest, run }, limitErrors) => {
    const seen = find.get(subscription, digest);
    if (seen) {
      renew.run(at, subscription, digest, at - renewMs);
      return { taken: { kind: "seen", runId: seen.runId }, changes: [] };
    }
    if (!run) {
      insert.run(subscription, digest, at, null);
      return { taken: { kind: "seen", runId: null }, changes: [] };
    }
    const first = createRun(run);
    if (first.value.kind === "overloaded") return null;
    insert.run(subscription, digest, at, run.id);
    return first.value.kind === "created"
      ? { taken: { kind: "started" }, changes: first.changes }
      : failAtLimit(createRun, run, first.value.kind, limitErrors);
  };
}

/** Stores the run of an event as one that a limit failed. */
function failAtLimit(
  createRun: ReturnType<typeof prepareCreateRun>,
  run: RunInsert,
  kind: string,
  limitErrors: EventInsert["limitErrors"],
): { taken: TakenRow; changes: readonly RunChange[] } {
  if (kind !== "hourly_cap" && kind !== "monthly_quota") throw new Error(`An event's run was refused: ${kind}`);
  const failed = createRun(overLimit(run, limitErrors[kind]));
  if (failed.value.kind !== "created") throw new Error(`A run that a limit failed was refused: ${failed.value.kind}`);
  return { taken: { kind: "failed" }, changes: failed.changes };
}

/** An event that is told again is written down at most once a day. */
const renewMs = 86_400_000;

/** The run as people see that the limit was hit: over before any step, and counted nowhere (contract 12). */
function overLimit(run: RunInsert, error: string): RunInsert {
  return {
    ...run,
    status: "failed",
    error,
    completedAt: run.createdAt,
    request: null,
    hourlyCap: null,
    maxQueued: null,
  };
}

/** Notes that a poll failed. */
export function prepareFailPoll(db: Database): (poll: FailedPoll) => Effect<boolean> {
  const listening = prepareListening(db);
  const polls = preparePollWrites(db);
  return (poll) => {
    const id = listening(poll.subscriptionId);
    if (id === null || !polls.isAt(id, poll.seen)) return answer(false);
    polls.fail(id, poll);
    return answer(true);
  };
}

/** The inside id of a subscription that listens. */
function prepareListening(db: Database): (subscriptionId: string) => number | null {
  const find = db.prepare<[string], { id: number }>(
    "SELECT id FROM subscriptions WHERE uuid = +? AND kind = 'connector' AND status = 'active'",
  );
  return (subscriptionId) => find.get(subscriptionId)?.id ?? null;
}

function preparePollWrites(db: Database) {
  const setMoment = prepareSetMoment(db);
  const find = db.prepare<[number], { revision: number }>("SELECT revision FROM polls WHERE subscription_id = +?");
  const succeed = db.prepare(
    `INSERT INTO polls (subscription_id, source, cursor, tried_at, polled_at, error, failures, revision)
     VALUES (@id, @source, @cursor, @at, @at, NULL, 0, 1)
     ON CONFLICT (subscription_id) DO UPDATE SET source = excluded.source, cursor = excluded.cursor,
       tried_at = excluded.tried_at, polled_at = excluded.polled_at, error = NULL, failures = 0, revision = revision + 1`,
  );
  const fail = db.prepare(
    `INSERT INTO polls (subscription_id, source, cursor, tried_at, polled_at, error, failures, revision)
     VALUES (@id, @source, NULL, @at, NULL, @error, 1, 1)
     ON CONFLICT (subscription_id) DO UPDATE SET
       cursor = CASE WHEN source = excluded.source THEN cursor END,
       polled_at = CASE WHEN source = excluded.source THEN polled_at END,
       failures = CASE WHEN source = excluded.source THEN failures + 1 ELSE 1 END,
       source = excluded.source, tried_at = excluded.tried_at, error = excluded.error, revision = revision + 1`,
  );
  const due = (owner: string, at: number): void => void setMoment({ kind: "poll", owner, at });
  return {
    isAt: (id: number, seen: number): boolean => (find.get(id)?.revision ?? 0) === seen,
    succeed(id: number, owner: string, poll: NonNullable<EventInsert["poll"]> & { at: number }): void {
      const { source, cursor, at, nextAt } = poll;
      succeed.run({ id, source, cursor, at });
      due(owner, nextAt);
    },
    fail(id: number, { subscriptionId, source, at, nextAt, error }: FailedPoll): void {
      fail.run({ id, source, at, error: JSON.stringify(error) });
      due(subscriptionId, nextAt);
    },
    postpone: due,
  };
}

export type SeenExpiry = { before: number; limit: number };

export function prepareDeleteSeenEvents(db: Database): (expiry: SeenExpiry) => Effect<number> {
  const remove = db.prepare<[number, number]>(
    `DELETE FROM seen_events WHERE (subscription_id, event) IN
       (SELECT subscription_id, event FROM seen_events WHERE at < +? ORDER BY at LIMIT +?)`,
  );
  return ({ before, limit }) => answer(remove.run(before, limit).changes);
}
