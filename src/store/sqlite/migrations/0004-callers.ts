/**
 * - `idempotency` remembers which run a caller's Idempotency-Key started. `id` is a digest of workspace, slug and key,
 *   `body` one of key and request, so that neither a key nor what can be guessed of a request is kept.
 * - `monthly_runs` counts the runs of a workspace in a month (202601), also those that retention deletes later.
 * - `rate_hits` holds the requests of the last minute, so that a restart forgets none: `times` are 64-bit floats.
 */
export const callers = `
CREATE TABLE idempotency (
  id BLOB PRIMARY KEY NOT NULL,
  body BLOB NOT NULL,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (created_at);
CREATE INDEX idempotency_by_run ON idempotency (run_id);

CREATE TABLE monthly_runs (
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  month INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, month)
) STRICT, WITHOUT ROWID;
INSERT INTO monthly_runs (workspace_id, month, n)
  SELECT workspace_id, CAST(strftime('%Y%m', created_at / 1000, 'unixepoch') AS INTEGER), COUNT(*)
  FROM runs WHERE user_seq IS NOT NULL GROUP BY 1, 2;

CREATE TABLE rate_hits (
  id INTEGER PRIMARY KEY,
  saved_at INTEGER NOT NULL,
  key TEXT NOT NULL,
  times BLOB NOT NULL
) STRICT;
CREATE INDEX rate_hits_by_time ON rate_hits (saved_at);
`;
