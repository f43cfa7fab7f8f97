import type { Database } from "better-sqlite3";
import type { NewSlot } from "../store.ts";
import type { RunRefusal } from "./admit-run.ts";
import { isTerminalCode } from "./codes.ts";
import { answer, type Effect } from "./effect.ts";

export type SlotWrites = {
  /** Why a firing does not take place, if so; one that is left out because its schedule's last run is not over is noted. */
  check: (slot: NewSlot) => Extract<RunRefusal, { kind: "slot_taken" | "overlap" }> | null;
  /** Notes which run the firing is. */
  take: (slot: NewSlot, runId: string) => void;
};

export function prepareSlotWrites(db: Database): SlotWrites {
  const find = db.prepare<[NewSlotRow], { subscription: number; isTaken: number }>(
    `SELECT s.id AS subscription, EXISTS (SELECT 1 FROM slots WHERE subscription_id = s.id AND at = +@at) AS isTaken
     FROM subscriptions s WHERE s.uuid = +@subscriptionId AND s.status = 'active'`,
  );
  const last = db.prepare<[number], { runId: string; status: number }>(
    `SELECT r.uuid AS runId, r.status FROM slots l JOIN runs r ON r.uuid = l.run_id
     WHERE l.subscription_id = +? ORDER BY l.at DESC LIMIT 1`,
  );
  const insert = db.prepare(
    "INSERT INTO slots (subscription_id, at, run_id) SELECT id, @at, @runId FROM subscriptions WHERE uuid = +@subscriptionId",
  );
  return {
    check({ subscriptionId, at, skipsOverlap }) {
      const found = find.get({ subscriptionId, at });
      if (!found || found.isTaken) return { kind: "slot_taken" };
      const before = skipsOverlap ? last.get(found.subscription) : undefined;
      if (!before || isTerminalCode(before.status)) return null;
      insert.run({ subscriptionId, at, runId: null });
      return { kind: "overlap", runId: before.runId };
    },
    take: ({ subscriptionId, at }, runId) => void insert.run({ subscriptionId, at, runId }),
  };
}

type NewSlotRow = Omit<NewSlot, "skipsOverlap">;

export type SlotExpiry = { before: number; limit: number };

export function prepareDeleteSlots(db: Database): (expiry: SlotExpiry) => Effect<number> {
  const remove = db.prepare(
    `DELETE FROM slots WHERE (subscription_id, at) IN (SELECT subscription_id, at FROM slots WHERE at < ? LIMIT ?)`,
  );
  return ({ before, limit }) => answer(remove.run(before, limit).changes);
}
