/**
 * - `subscriptions` has one row for each workflow and kind of trigger. `uuid` is its id outside: 24 random bytes as
 *   base64url, 32 characters. Of workflows published before, nobody knows who did it.
 * - `deliveries` holds the requests that came to subscriptions; `run_id` is the id outside, since runs are deleted
 *   earlier. `original` is the sealed trigger output of a request that started nothing.
 * - `runs.http_request` is the delivery that a run came from; `runs.http_handler` who waits for its answer.
 */
export const triggers = `
CREATE TABLE subscriptions (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  workflow_id INTEGER NOT NULL REFERENCES workflows,
  kind TEXT NOT NULL CHECK (kind IN ('webhook', 'schedule', 'connector')),
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'archived')),
  config TEXT NOT NULL,
  user_id TEXT NOT NULL,
  activated_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  UNIQUE (workflow_id, kind)
) STRICT;
CREATE INDEX subscriptions_by_workspace ON subscriptions (workspace_id);

CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  subscription_id INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  at INTEGER NOT NULL,
  status INTEGER,
  run_id TEXT,
  reason TEXT,
  dedup_id TEXT,
  redelivery_of TEXT,
  bytes INTEGER NOT NULL,
  body TEXT,
  original BLOB
) STRICT;
CREATE INDEX deliveries_by_workspace ON deliveries (workspace_id);
CREATE INDEX deliveries_by_subscription ON deliveries (subscription_id);
CREATE INDEX deliveries_by_time ON deliveries (at);

ALTER TABLE runs ADD COLUMN http_request TEXT;
ALTER TABLE runs ADD COLUMN http_handler TEXT;

WITH RECURSIVE places (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM places WHERE n < 32)
INSERT INTO subscriptions (uuid, workspace_id, workflow_id, kind, status, config, user_id, activated_at, changed_at)
  SELECT
    (SELECT group_concat(
       substr('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', (random() & 63) + 1, 1), '')
     FROM places WHERE w.id IS NOT NULL),
    w.workspace_id, w.id, json_extract(node.value, '$.data.kind'), 'active', json_extract(node.value, '$.data'),
    'local', v.published_at, v.published_at
  FROM versions v JOIN workflows w ON w.id = v.workflow_id
    JOIN json_each(v.definition, '$.nodes') node ON json_extract(node.value, '$.type') = 'trigger'
  WHERE v.status = 'deployed' AND w.type = 'event_driven' AND w.deleted_at IS NULL
    AND json_extract(node.value, '$.data.kind') IN ('webhook', 'schedule', 'connector');
`;
