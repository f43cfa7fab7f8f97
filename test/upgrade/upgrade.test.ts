import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client } from "../../src/cli/client.ts";
import type { Run } from "../../src/contract/run.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { type RunningDaemon, startDaemon } from "../../src/daemon/start.ts";
import { migrations } from "../../src/store/sqlite/migrations/index.ts";

/** A database that an older version left when it was killed (scripts/record-upgrade.ts). */
type Recording = {
  schema: number;
  masterKey: string;
  key: string;
  runs: { slug: string; id: string; status: string }[];
  database: string;
};

const recordings = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".json"))
  .map((file): Recording => JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")));

const newest = migrations.at(-1)?.version ?? 0;

let home = resolveHome({ STEPGATE_HOME: "/nonexistent" });
beforeEach(() => {
  home = resolveHome({ STEPGATE_HOME: mkdtempSync(join(tmpdir(), "stepgate-upgrade-")) });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home.dataDir, { recursive: true });
});

function lay({ database, masterKey }: Recording): void {
  writeFileSync(home.database, gunzipSync(Buffer.from(database, "base64")));
  vi.stubEnv("STEPGATE_MASTER_KEY", masterKey);
}

async function start(): Promise<RunningDaemon & { client: Client }> {
  const daemon = await startDaemon({ home, host: "127.0.0.1", port: 0, version: "9.0.0", logLevel: "error" });
  const client = new Client({ socketPath: home.socket }, { signal: new AbortController().signal });
  return Object.assign(daemon, { client });
}

test.each(recordings)("schema $schema is upgraded after a copy was made, and its runs go on", async (recording) => {
  lay(recording);
  const daemon = await start();
  try {
    const read = async (id: string) => daemon.client.get<Run>(`/api/v1/runtime/runs/${id}`);
    expect(await daemon.client.get("/control/status")).toMatchObject({ db_schema: newest });
    for (const { id, slug, status } of recording.runs) {
      if (slug === "asks") {
        expect((await read(id)).status).toBe("waiting_for_approval");
        await daemon.client.post(`/api/v1/runtime/runs/${id}/approve`, { decision: "approved" });
      } else expect(["succeeded", "waiting", "running", "waiting_for_approval"]).toContain(status);
      await vi.waitFor(async () => expect((await read(id)).status).toBe("succeeded"), { timeout: 10_000 });
      expect([slug, (await read(id)).output]).toEqual([slug, { text: expect.stringMatching(/^Hello Ada/) }]);
    }
    const headers = { authorization: `Bearer ${recording.key}` };
    expect((await fetch(`${daemon.url}/api/v1/runtime/runs`, { headers })).status).toBe(200);
  } finally {
    await daemon.stop();
  }
  const copy = join(home.dataDir, "backups", `pre-${newest}.db`);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const db = new Database(copy, { readonly: true });
  expect(db.prepare("SELECT MAX(version) FROM migrations").pluck().get()).toBe(recording.schema);
  db.close();
  await (await start()).stop();
  expect(readdirSync(join(home.dataDir, "backups"))).toEqual([`pre-${newest}.db`]);
});

test("a first start makes no copy, for there is nothing to lose", async () => {
  await (await start()).stop();
  expect(existsSync(join(home.dataDir, "backups"))).toBe(false);
});

test("a database of a newer version is refused, and the copy from before that upgrade is named", async () => {
  for (const recording of recordings.slice(0, 1)) lay(recording);
  await (await start()).stop();
  const db = new Database(home.database);
  db.prepare("INSERT INTO migrations (version, name, applied_at) VALUES (?, 'later', 0)").run(newest + 1);
  db.close();
  const copy = join(home.dataDir, "backups", `pre-${newest + 1}.db`);
  writeFileSync(copy, "");
  await expect(start()).rejects.toThrow(
    `has schema ${newest + 1}, and this Stepgate knows schemas up to ${newest}: a newer one wrote it. ` +
      `Run that version or a newer one, or restore a backup from before the upgrade with: stepgate db restore ${copy}`,
  );
});
