/**
 * Credentials and the values that templates name. What is sealed is bound to its row, so that a ciphertext that was moved
 * to another one can't be opened there. `connections.revision` counts changes: whoever refreshes credentials must not
 * overwrite those that somebody replaced meanwhile. `webhook_secrets` holds what a definition says literally, of the
 * draft and of what is deployed, and what a command has set over it.
 */
export const connections = `
CREATE TABLE connections (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  connector TEXT NOT NULL,
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  secrets BLOB NOT NULL,
  require_approval INTEGER NOT NULL,
  status TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_used_at INTEGER,
  UNIQUE (workspace_id, name)
) STRICT;

CREATE TABLE variables (
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  name TEXT NOT NULL,
  value BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_secrets (
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  workflow_id TEXT NOT NULL,
  stage TEXT NOT NULL CHECK (stage IN ('draft', 'deployed', 'command')),
  content BLOB NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, workflow_id, stage)
) STRICT, WITHOUT ROWID;
`;
