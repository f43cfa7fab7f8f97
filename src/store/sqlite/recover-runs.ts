import type { Database } from "better-sqlite3";
import { holds, statusCodes } from "./codes.ts";
import type { Effect } from "./effect.ts";
import { runColumns, runParents, type RunRow } from "./run-row.ts";

/** Takes every run that runs, or that an executor which is gone still has. */
export function prepareRecoverRuns(db: Database): () => Effect<RunRow[]> {
  const running = statusCodes.encode("running");
  const took = `SET epoch = epoch + 1, crashes = crashes + (hold = ${holds.executor}), hold = ${holds.executor}`;
  const takes = [
    db.prepare(`UPDATE runs INDEXED BY runs_running ${took} WHERE status = ${running}`),
    db.prepare(`UPDATE runs INDEXED BY runs_held ${took} WHERE hold > 0 AND status > ${running}`),
  ];
  const select = db.prepare<[], RunRow>(
    `SELECT ${runColumns} FROM (SELECT id FROM runs INDEXED BY runs_running WHERE status = ${running}
       UNION ALL SELECT id FROM runs INDEXED BY runs_held WHERE hold > 0 AND status > ${running}) held
     CROSS JOIN runs r ON r.id = held.id ${runParents} ORDER BY r.id`,
  );
  return () => {
    for (const take of takes) take.run();
    const rows = select.all();
    const changes = rows.map(({ id, workspaceId, status, seq }) => ({
      runId: id,
      workspaceId,
      status: statusCodes.decode(status),
      seq,
    }));
    return { value: rows, changes };
  };
}
