/**
 * A draft is what agents edit and a publish makes a version of; `revision` counts its changes, so that nobody overwrites
 * what they have not seen. Workflows that were published before have their newest version as their draft.
 */
export const drafts = `
CREATE TABLE drafts (
  workflow_id INTEGER PRIMARY KEY REFERENCES workflows,
  revision INTEGER NOT NULL,
  definition TEXT NOT NULL
) STRICT;
INSERT INTO drafts (workflow_id, revision, definition)
  SELECT workflow_id, 1, definition FROM versions WHERE status = 'deployed';
`;
