/**
 * Integer keys inside, UUIDv7 text outside. Every index of a rowid table ends with the rowid, so `(workspace_id, status)`
 * lists a status by id without sorting. `runs` has its payloads last, so that lists never read their overflow pages.
 * - `runs.user_seq` numbers the runs of a user that count for the hourly cap, so that checking it costs one look-up
 *   whatever the cap is; it is null for a run that does not count.
 * - `journal.id` is `runs.id * 2^20 + seq`: a journal lies together and is read as one range.
 * - `run_counts` holds how many runs each combination has (`action_id` 0: none), so that totals never scan.
 */
export const initial = `
CREATE TABLE workspaces (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  tier TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  salt BLOB NOT NULL,
  hash BLOB NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX keys_by_workspace ON keys (workspace_id);
CREATE INDEX keys_by_prefix ON keys (prefix);

CREATE TABLE workflows (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('callable', 'event_driven')),
  description TEXT,
  source_path TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX workflows_by_name ON workflows (workspace_id, name);
CREATE INDEX workflows_by_source_path ON workflows (workspace_id, source_path) WHERE source_path IS NOT NULL;

CREATE TABLE versions (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workflow_id INTEGER NOT NULL REFERENCES workflows,
  version INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('deployed', 'archived')),
  published_at INTEGER NOT NULL,
  definition TEXT NOT NULL,
  input_schema TEXT,
  output_schema TEXT,
  UNIQUE (workflow_id, version)
) STRICT;
CREATE UNIQUE INDEX versions_deployed ON versions (workflow_id) WHERE status = 'deployed';

CREATE TABLE actions (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'archived')),
  approval_policy TEXT NOT NULL CHECK (approval_policy IN ('never', 'always')),
  workflow_id INTEGER NOT NULL UNIQUE REFERENCES workflows,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (workspace_id, slug)
) STRICT;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  version_id INTEGER NOT NULL REFERENCES versions,
  action_id INTEGER REFERENCES actions,
  user_id TEXT NOT NULL,
  user_seq INTEGER,
  source INTEGER NOT NULL,
  status INTEGER NOT NULL,
  dry_run INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  crashes INTEGER NOT NULL,
  active_ms REAL NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  input TEXT NOT NULL,
  output TEXT,
  error TEXT
) STRICT;
CREATE INDEX runs_by_workspace ON runs (workspace_id);
CREATE INDEX runs_by_status ON runs (workspace_id, status);
CREATE INDEX runs_by_action ON runs (workspace_id, action_id, status);
CREATE INDEX runs_by_source ON runs (workspace_id, source, status);
CREATE INDEX runs_by_creation ON runs (workspace_id, created_at, status, source, action_id);
CREATE UNIQUE INDEX runs_by_user ON runs (user_id, user_seq) WHERE user_seq IS NOT NULL;
CREATE INDEX runs_accepted ON runs (status) WHERE status = 0;
CREATE INDEX runs_running ON runs (status) WHERE status = 1;

CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  type INTEGER NOT NULL,
  step_id TEXT NOT NULL,
  iteration TEXT,
  attempt INTEGER NOT NULL,
  duration_ms REAL,
  created_at INTEGER NOT NULL,
  input TEXT,
  output TEXT,
  error TEXT
) STRICT;

CREATE TABLE run_counts (
  status INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  action_id INTEGER NOT NULL,
  source INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (status, workspace_id, action_id, source)
) STRICT, WITHOUT ROWID;

INSERT INTO workspaces (name, tier, created_at) VALUES ('default', 'business', unixepoch() * 1000);
`;
