/**
 * Runs that a step of another run started and waits for (contract 13). `step` is the step in its iteration; one step
 * starts one child, which the key holds it to. `depth` is 1 for a child of a run that has no parent. A parent may be
 * deleted before its children, so it is held by its id outside.
 */
export const childRuns = `
CREATE TABLE child_runs (
  run_id INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  parent TEXT NOT NULL,
  step TEXT NOT NULL,
  depth INTEGER NOT NULL,
  UNIQUE (parent, step)
) STRICT;
`;
