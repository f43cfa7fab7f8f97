import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { migrate } from "../migrate.ts";
import { migrations } from "./index.ts";

it("workflows that were published before listen from now on, each under an id of its own", () => {
  const db = new Database(":memory:");
  migrate(
    db,
    migrations.filter(({ version }) => version < 10),
  );
  const publish = (id: number, type: string, data: object, deletedAt: number | null = null) => {
    const trigger = { id: "trigger", type: type === "callable" ? "action_input" : "trigger", data };
    const definition = JSON.stringify({
      name: `W${id}`,
      nodes: [{ id: "a", type: "noop", data: {} }, trigger],
      edges: [],
    });
    db.prepare(
      `INSERT INTO workflows (id, uuid, workspace_id, name, type, created_at, updated_at, deleted_at)
       VALUES (?, ?, 1, ?, ?, 5, 5, ?)`,
    ).run(id, `w${id}`, `W${id}`, type, deletedAt);
    db.prepare(
      `INSERT INTO versions (uuid, workflow_id, version, status, published_at, definition) VALUES (?, ?, 1, 'deployed', 7, ?)`,
    ).run(`v${id}`, id, definition);
  };
  publish(1, "event_driven", { kind: "webhook", respondMode: "respond_node" });
  publish(2, "event_driven", { kind: "schedule", mode: "interval", seconds: 60 });
  publish(3, "callable", { properties: [] });
  publish(4, "event_driven", { kind: "webhook" }, 9);
  migrate(
    db,
    migrations.filter(({ version }) => version <= 10),
  );
  const rows = db
    .prepare<[], { uuid: string; config: string }>("SELECT * FROM subscriptions ORDER BY workflow_id")
    .all();
  expect(rows).toMatchObject([
    { workflow_id: 1, workspace_id: 1, kind: "webhook", status: "active", user_id: "local", activated_at: 7 },
    { workflow_id: 2, kind: "schedule", status: "active" },
  ]);
  for (const { uuid } of rows) expect(uuid).toMatch(/^[\w-]{32}$/);
  expect(new Set(rows.map(({ uuid }) => uuid)).size).toBe(2);
  expect(rows.map(({ config }) => JSON.parse(config))).toEqual([
    { kind: "webhook", respondMode: "respond_node" },
    { kind: "schedule", mode: "interval", seconds: 60 },
  ]);
  db.close();
});
