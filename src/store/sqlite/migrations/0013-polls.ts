/**
 * - `polls` is where the poll of a connector's trigger stands. `source` is what is polled: another one begins anew. `cursor`
 *   is null until a poll has gone well. `revision` counts changes, so that of two polls that saw the same cursor one counts.
 * - `seen_events` has the digests of events that connectors told of, polled or pushed: an event is there once, so it
 *   starts one run. `run_id` is the run's id outside, null where the event lay in the past when the trigger began.
 */
export const polls = `
CREATE TABLE polls (
  subscription_id INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,
  source TEXT NOT NULL,
  cursor TEXT,
  tried_at INTEGER NOT NULL,
  polled_at INTEGER,
  error TEXT,
  failures INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;

CREATE TABLE seen_events (
  subscription_id INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  event BLOB NOT NULL,
  at INTEGER NOT NULL,
  run_id TEXT,
  PRIMARY KEY (subscription_id, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX seen_events_by_time ON seen_events (at);
`;
