/** Circuit breakers that remember a failure or are open (contract 5); one at rest has no row. */
export const breakers = `
CREATE TABLE breakers (
  workspace_id INTEGER NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  connector TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  target TEXT NOT NULL,
  failures TEXT NOT NULL,
  opened_at INTEGER,
  openings INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, connector, connection_id, target)
) STRICT, WITHOUT ROWID;
`;
