/**
 * - `runs.hold` says whether the run needs an executor: 0 nobody (parked, accepted or over), 1 an executor has it, 2 an
 *   executor gave it back before it was done. `runs_held` finds those that the index of running runs does not.
 * - `due` is the one table of moments at which something has to happen; `owner` tells the rows of a run apart.
 * - A run is `waiting_for_approval` exactly while it has a pending row in `approvals`: both change in one transaction.
 * - `audit` outlives the runs that it tells of, so it holds their ids and no references.
 */
export const timeAndPeople = `
ALTER TABLE runs ADD COLUMN hold INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET hold = 1 WHERE status = 1;
CREATE INDEX runs_held ON runs (status) WHERE hold > 0 AND status > 1;

CREATE TABLE due (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  run_id INTEGER REFERENCES runs ON DELETE CASCADE,
  owner TEXT NOT NULL,
  detail TEXT
) STRICT;
CREATE INDEX due_by_time ON due (at);
CREATE UNIQUE INDEX due_by_run ON due (run_id, kind, owner);

CREATE TABLE approvals (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  step_id TEXT,
  iteration TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired')),
  redacted_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  user_id TEXT,
  decided_via TEXT,
  comment TEXT,
  description TEXT,
  inputs TEXT NOT NULL
) STRICT;
CREATE INDEX approvals_by_run ON approvals (run_id);
CREATE INDEX approvals_by_workspace ON approvals (workspace_id);
CREATE UNIQUE INDEX approvals_pending ON approvals (run_id) WHERE status = 'pending';
CREATE INDEX approvals_pending_by_workspace ON approvals (workspace_id) WHERE status = 'pending';

CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  event TEXT NOT NULL,
  decision TEXT,
  run_id TEXT,
  approval_id TEXT,
  user_id TEXT,
  decided_via TEXT,
  comment TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_workspace ON audit (workspace_id);
`;
