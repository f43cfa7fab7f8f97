import type { Database } from "better-sqlite3";
import { statusCodes } from "./codes.ts";
import type { Effect } from "./effect.ts";
import { runColumns, runParents, type RunRow } from "./run-row.ts";

/** Takes every running run from an executor that is gone. */
export function prepareRecoverRuns(db: Database): () => Effect<RunRow[]> {
  const running = statusCodes.encode("running");
  const take = db.prepare(`UPDATE runs SET epoch = epoch + 1, crashes = crashes + 1 WHERE status = ${running}`);
  const select = db.prepare<[], RunRow>(
    `SELECT ${runColumns} FROM runs r INDEXED BY runs_running ${runParents} WHERE r.status = ${running} ORDER BY r.id`,
  );
  return () => {
    take.run();
    const rows = select.all();
    const changes = rows.map(({ id, workspaceId, seq }) => ({
      runId: id,
      workspaceId,
      status: "running" as const,
      seq,
    }));
    return { value: rows, changes };
  };
}
