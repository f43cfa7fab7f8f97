/**
 * Files that payloads refer to by their id (contract 13). The bytes lie beside the database under their digest, once for
 * all files that have them. `file_uses` says which runs refer to a file: one that no run uses has had its time.
 */
export const files = `
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  digest TEXT NOT NULL,
  name TEXT NOT NULL,
  size INTEGER NOT NULL,
  mime TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX files_by_digest ON files (digest);

CREATE TABLE file_uses (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  PRIMARY KEY (run_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_uses_by_file ON file_uses (file_id);
`;
