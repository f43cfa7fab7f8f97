/**
 * Connectors that a workspace has built. The parts of one, its operations and triggers, are rows of their own: there may
 * be thousands, and a call needs one of them. A build's source is kept until the build has ended, so that a crash can't
 * lose it.
 */
export const connectors = `
CREATE TABLE connectors (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  description TEXT NOT NULL,
  head TEXT NOT NULL,
  operations INTEGER NOT NULL,
  triggers INTEGER NOT NULL,
  build_uuid TEXT NOT NULL,
  built_at INTEGER NOT NULL,
  UNIQUE (workspace_id, slug)
) STRICT;

CREATE TABLE connector_parts (
  id INTEGER PRIMARY KEY,
  connector_id INTEGER NOT NULL REFERENCES connectors,
  kind TEXT NOT NULL CHECK (kind IN ('action', 'trigger')),
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  document TEXT NOT NULL,
  UNIQUE (connector_id, kind, key)
) STRICT;

CREATE TABLE builds (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  slug TEXT,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
  issues TEXT NOT NULL,
  operations TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  completed_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX builds_open ON builds (id) WHERE status IN ('queued', 'running');
CREATE INDEX builds_by_workspace ON builds (workspace_id, id);

CREATE TABLE build_sources (
  build_id INTEGER PRIMARY KEY REFERENCES builds,
  request TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
`;
