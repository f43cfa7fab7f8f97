/**
 * `run_log` holds what steps wrote to their console; `bytes` is the sum up to and with the line, so that the bound of a
 * run is checked by looking at its last line alone.
 */
export const runLog = `
CREATE TABLE run_log (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  step_id TEXT NOT NULL,
  iteration TEXT,
  attempt INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;
`;
