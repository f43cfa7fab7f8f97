import type { Database } from "better-sqlite3";
import type { FileRecord, FileStore } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export type FileInsert = Parameters<FileStore["addFile"]>[0];
export type FileUse = Parameters<FileStore["noteFileUse"]>[0];
export type FileExpiry = Parameters<FileStore["deleteUnusedFiles"]>[0];
export type FileRemoval = { deleted: number; digests: string[] };

export function prepareAddFile(db: Database): (file: FileInsert) => Effect<null> {
  const insert = db.prepare(
    `INSERT INTO files (uuid, workspace_id, digest, name, size, mime, created_at)
     VALUES (@id, @workspaceId, @digest, @name, @size, @mime, @createdAt)`,
  );
  const use = prepareUse(db);
  return ({ runId, ...file }) => {
    insert.run(file);
    use({ fileId: file.id, runId });
    return answer(null);
  };
}

export function prepareNoteFileUse(db: Database): (use: FileUse) => Effect<null> {
  const note = prepareUse(db);
  return (use) => {
    note(use);
    return answer(null);
  };
}

function prepareUse(db: Database): (use: FileUse) => void {
  const insert = db.prepare(
    `INSERT INTO file_uses (run_id, file_id) SELECT r.id, f.id FROM runs r, files f WHERE r.uuid = ? AND f.uuid = ?
     ON CONFLICT DO NOTHING`,
  );
  return ({ fileId, runId }) => void insert.run(runId, fileId);
}

export function prepareDeleteUnusedFiles(db: Database): (expiry: FileExpiry) => Effect<FileRemoval> {
  const unused = db.prepare<[number, number], { id: number; digest: string }>(
    `SELECT id, digest FROM files f
     WHERE created_at < ? AND NOT EXISTS (SELECT 1 FROM file_uses u WHERE u.file_id = f.id) ORDER BY id LIMIT ?`,
  );
  const remove = db.prepare("DELETE FROM files WHERE id = ?");
  const isKept = db.prepare<[string], { id: number }>("SELECT id FROM files WHERE digest = ? LIMIT 1");
  return ({ before, limit }) => {
    const found = unused.all(before, limit);
    for (const { id } of found) remove.run(id);
    const digests = [...new Set(found.map(({ digest }) => digest))].filter((digest) => !isKept.get(digest));
    return answer({ deleted: found.length, digests });
  };
}

const columns = `f.uuid AS id, f.workspace_id AS workspaceId, f.digest AS digest, f.name AS name, f.size AS size,
  f.mime AS mime, f.created_at AS createdAt`;

export function prepareFileReads(db: Database) {
  const byId = db.prepare<[string, number], FileRecord>(
    `SELECT ${columns} FROM files f WHERE f.uuid = ? AND f.workspace_id = ?`,
  );
  const ofRun = db.prepare<[string], FileRecord>(
    `SELECT ${columns} FROM runs r JOIN file_uses u ON u.run_id = r.id JOIN files f ON f.id = u.file_id
     WHERE r.uuid = ? ORDER BY f.id`,
  );
  return {
    findFile: (workspaceId: number, fileId: string): FileRecord | null => byId.get(fileId, workspaceId) ?? null,
    listRunFiles: (runId: string): FileRecord[] => ofRun.all(runId),
  };
}

/** Has one run use the files of another one: what is handed over between them may refer to any. */
export function prepareShareFiles(db: Database): (fromRunId: string, toRunId: string) => void {
  const share = db.prepare(
    `INSERT INTO file_uses (run_id, file_id)
     SELECT t.id, u.file_id FROM runs s JOIN file_uses u ON u.run_id = s.id, runs t WHERE s.uuid = +? AND t.uuid = +?
     ON CONFLICT DO NOTHING`,
  );
  return (from, to) => void share.run(from, to);
}
