import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { MomentStore, Notice, NoticeRecord } from "../store.ts";
import { answer, type Effect } from "./effect.ts";
import { prepareSetMoment } from "./moment-writes.ts";

type NoticePlace = { runId: string; workspaceId: number; at: number };

/** Keeps what people have to be told of, and has it told at once; in the transaction of what it tells. */
export function prepareAddNotices(db: Database): (place: NoticePlace, notices: readonly Notice[]) => void {
  const setMoment = prepareSetMoment(db);
  const insert = db.prepare(
    `INSERT INTO notices (uuid, workspace_id, run_id, event, subject, created_at, tries, told)
     VALUES (@uuid, @workspaceId, @runId, @event, @id, @at, 0, '[]')`,
  );
  return (place, notices) => {
    for (const notice of notices) {
      const uuid = randomUUID();
      insert.run({ ...place, ...notice, uuid });
      setMoment({ kind: "notice", owner: uuid, at: place.at });
    }
  };
}

export type NoticeChange = Parameters<MomentStore["updateNotice"]>[0];

export function prepareUpdateNotice(db: Database): (change: NoticeChange) => Effect<null> {
  const setMoment = prepareSetMoment(db);
  const update = db.prepare("UPDATE notices SET told = @told, tries = tries + 1 WHERE uuid = @uuid");
  const remove = db.prepare("DELETE FROM notices WHERE uuid = ?");
  return ({ uuid, told, retryAt }) => {
    setMoment({ kind: "notice", owner: uuid, at: retryAt });
    if (retryAt === null) remove.run(uuid);
    else update.run({ uuid, told: JSON.stringify(told) });
    return answer(null);
  };
}

type Row = Omit<NoticeRecord, "told" | "event" | "id"> & { event: Notice["event"]; id: string; told: string };

export function prepareFindNotice(db: Database): (uuid: string) => NoticeRecord | null {
  const find = db.prepare<[string], Row>(
    `SELECT uuid, workspace_id AS workspaceId, run_id AS runId, event, subject AS id, created_at AS createdAt, tries, told
     FROM notices WHERE uuid = +?`,
  );
  return (uuid) => {
    const row = find.get(uuid);
    // Written by this store as a list of names.
    return row ? { ...row, told: JSON.parse(row.told) as string[] } : null;
  };
}
