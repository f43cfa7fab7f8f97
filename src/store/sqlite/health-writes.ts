import type { Database } from "better-sqlite3";
import type { RunStatus } from "../../contract/run.ts";
import type { Notice, RunCommit } from "../store.ts";

type EndedRun = { id: number; workspaceId: number };

export type HealthWrites = {
  /** Counts a run's end for its workflow (contract 5); returns what people want to hear of. */
  note: (run: EndedRun, status: RunStatus, health: NonNullable<RunCommit["health"]>, at: number) => Notice[];
};

export function prepareHealthWrites(db: Database): HealthWrites {
  const ofRun = "(SELECT v.workflow_id FROM runs r JOIN versions v ON v.id = r.version_id WHERE r.id = +@runId)";
  const open = `workflow_id = ${ofRun} AND closed_at IS NULL`;
  const close = db.prepare(`UPDATE incidents SET closed_at = @at WHERE ${open}`);
  const join = db.prepare<[object], { id: number; streak: number }>(
    `UPDATE incidents SET runs = runs + 1, streak = streak + 1 WHERE ${open} RETURNING id, streak`,
  );
  const insert = db.prepare<[object], { id: number; streak: number }>(
    `INSERT INTO incidents (uuid, workspace_id, workflow_id, opened_at, runs, streak)
     VALUES (@incidentId, @workspaceId, ${ofRun}, @at, 1, 1) RETURNING id, streak`,
  );
  const tag = db.prepare("UPDATE runs SET incident_id = ? WHERE id = ?");
  const pauseAction = db.prepare<[object], { id: string }>(
    `UPDATE actions SET status = 'paused', updated_at = @at WHERE workflow_id = ${ofRun} AND status = 'active' RETURNING slug AS id`,
  );
  const pauseTrigger = db.prepare<[object], { id: string }>(
    `UPDATE subscriptions SET status = 'paused', changed_at = @at
     WHERE workflow_id = ${ofRun} AND status = 'active' RETURNING uuid AS id`,
  );
  // A workflow has an action or a trigger.
  const pause = (place: object): { id: string } | undefined => pauseAction.get(place) ?? pauseTrigger.get(place);

  function fail(run: EndedRun, { incidentId, pauseAfter }: NonNullable<RunCommit["health"]>, at: number): Notice[] {
    const place = { runId: run.id, workspaceId: run.workspaceId, at };
    const joined = join.get({ runId: run.id });
    const incident = joined ?? insert.get({ ...place, incidentId });
    if (!incident) throw new Error(`The failure of run ${run.id} could not be counted`);
    tag.run(incident.id, run.id);
    const paused = pauseAfter > 0 && incident.streak >= pauseAfter ? pause(place) : undefined;
    return [
      ...(joined ? [] : [{ event: "incident.opened", id: incidentId } as const]),
      ...(paused ? [{ event: "workflow.paused", id: paused.id } as const] : []),
    ];
  }

  return {
    note(run, status, health, at) {
      if (status === "failed" || status === "timed_out") return fail(run, health, at);
      if (status === "succeeded") close.run({ runId: run.id, at });
      return [];
    },
  };
}
