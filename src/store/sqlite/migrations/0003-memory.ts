/**
 * - `sealed` holds the originals of payloads that redaction changed. Its key is the journal's: event `seq` of a run lies
 *   beside the journal's row of that number; number 0 is the run's input, the last number its output and error.
 * - `journal.marks`: 1 the payloads were redacted, 2 the event was copied from the run that this one replays.
 * - `runs.marks`: 1 the input was redacted, 2 the output or error was.
 * - `runs.resume_from` is the id of the run that this one replays; no reference, since that one may go first.
 */
export const memory = `
ALTER TABLE runs ADD COLUMN marks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN resume_from TEXT;
ALTER TABLE journal ADD COLUMN marks INTEGER NOT NULL DEFAULT 0;

CREATE TABLE sealed (
  id INTEGER PRIMARY KEY,
  content BLOB NOT NULL
) STRICT;
`;
