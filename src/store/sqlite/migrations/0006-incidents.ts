/**
 * An incident holds a workflow's failures from the first up to its next success; at most one is open. `streak` counts
 * those since the workflow was last resumed by hand, which is what pauses it.
 */
export const incidents = `
CREATE TABLE incidents (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  workflow_id INTEGER NOT NULL REFERENCES workflows,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  runs INTEGER NOT NULL,
  streak INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX incidents_open ON incidents (workflow_id) WHERE closed_at IS NULL;
CREATE INDEX incidents_by_workspace ON incidents (workspace_id);

ALTER TABLE runs ADD COLUMN incident_id INTEGER REFERENCES incidents;
CREATE INDEX runs_by_incident ON runs (workspace_id, incident_id) WHERE incident_id IS NOT NULL;
`;
