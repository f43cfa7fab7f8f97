/**
 * - `due` also holds moments without a run: of a schedule (`owner` is the subscription's id outside), of a notice (the
 *   notice's) and of the upkeep (`owner` is empty). One of each.
 * - `slots` has the firings of schedules: a slot is there once, so it fires once, whatever the clock does and however many
 *   daemons there are. `run_id` is the run's id outside, null where the firing was left out.
 * - `notices` is what people have still to be told of, written in the transaction of what it tells. `told` names the
 *   channels that have it. It outlives its run, so it holds the run's id outside.
 * - `runs.traceparent` is the place in a distributed trace from which the run was started (W3C Trace Context).
 */
export const moments = `
CREATE UNIQUE INDEX due_without_run ON due (kind, owner) WHERE run_id IS NULL;

CREATE TABLE slots (
  subscription_id INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  at INTEGER NOT NULL,
  run_id TEXT,
  PRIMARY KEY (subscription_id, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  run_id TEXT NOT NULL,
  event TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  told TEXT NOT NULL
) STRICT;

ALTER TABLE runs ADD COLUMN traceparent TEXT;
`;
