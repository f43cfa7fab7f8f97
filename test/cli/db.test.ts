import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ApiError } from "../../src/contract/errors.ts";
import type { Home } from "../../src/contract/home.ts";
import {
  backupDatabase,
  checkBackup,
  migrateDatabase,
  restoreDatabase,
  vacuumDatabase,
} from "../../src/daemon/database-care.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import { migrations } from "../../src/store/sqlite/migrations/index.ts";
import { launcher, stepgate } from "../support/command-line.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { greet } from "./workflows.ts";

const newest = migrations.at(-1)?.version ?? 0;

let home: Home;
beforeEach(() => {
  home = resolveHome({ STEPGATE_HOME: mkdtempSync(join(tmpdir(), "stepgate-db-")) });
});
afterEach(() => rmSync(home.dataDir, { recursive: true, force: true }));

/** A database with one row of its own; the schema is as old as it is told. */
function makeDatabase(name: string, upTo = newest): void {
  const db = new Database(home.database);
  db.pragma("journal_mode = WAL");
  migrate(
    db,
    migrations.filter(({ version }) => version <= upTo),
  );
  db.prepare("UPDATE workspaces SET name = ? WHERE id = 1").run(name);
  db.close();
}

function nameIn(file: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare("SELECT name FROM workspaces WHERE id = 1").pluck().get();
  } finally {
    db.close();
  }
}

it("a backup is taken while the daemon takes in runs, and what it held then is in it", async () => {
  const daemon = await liveDaemon();
  await daemon.publish(greet);
  const place = resolveHome({ STEPGATE_HOME: daemon.folder });
  const over = new AbortController();
  const taken: string[] = [];
  const load = (async () => {
    const key = await daemon.mintKey();
    while (!over.signal.aborted) {
      const answer = await fetch(`${daemon.url}/api/v1/runtime/actions/greet/run`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: '{"input":{"name":"Ada"}}',
      });
      if (answer.status === 202) taken.push(await answer.text());
    }
  })();
  while (taken.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
  const before = taken.length;
  const { code, stdout, stderr } = await stepgate(daemon.folder, ["db", "backup", "--json"]);
  over.abort();
  await load;
  expect([code, stderr]).toEqual([0, ""]);
  const { file, schema } = JSON.parse(stdout) as { file: string; schema: number };
  expect([schema, statSync(file).mode & 0o777]).toEqual([newest, 0o600]);
  const db = new Database(file, { readonly: true });
  const held = Number(db.prepare("SELECT COUNT(*) FROM runs").pluck().get());
  db.close();
  expect(held).toBeGreaterThanOrEqual(before);
  expect(held).toBeLessThanOrEqual(taken.length + 1);
  await expect(restoreDatabase(place, file)).rejects.toMatchObject({ code: "CONFLICT" });
  await expect(vacuumDatabase(place)).rejects.toThrow("Another Stepgate daemon");
});

it("a backup is restored over a broken database, which is kept; a question stands before it", async () => {
  makeDatabase("first");
  const backup = join(home.dataDir, "b.db");
  const key = join(home.dataDir, "k.key");
  writeFileSync(home.masterKey, "key\n", { mode: 0o600 });
  expect(await backupDatabase(home, backup, key)).toMatchObject({ file: backup, schema: newest, key_file: key });
  expect([readFileSync(key, "utf8"), statSync(key).mode & 0o777]).toEqual(["key\n", 0o600]);
  await expect(backupDatabase(home, backup)).rejects.toThrow("is there already, and it is not overwritten");

  const broken = readFileSync(home.database).fill(0x5a, 0, 8192);
  writeFileSync(home.database, broken);
  const asked = await stepgate(home.dataDir, ["db", "restore", backup]);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("agree with --yes")]);
  const { code, stdout } = await stepgate(home.dataDir, ["db", "restore", backup, "--yes", "--json"]);
  expect(code).toBe(0);
  const { kept } = JSON.parse(stdout) as { kept: string };
  expect([nameIn(home.database), readFileSync(kept).equals(broken)]).toEqual(["first", true]);
  expect(statSync(home.database).mode & 0o777).toBe(0o600);
  expect(readdirSync(home.dataDir).filter((name) => name.endsWith(".part"))).toEqual([]);
});

it("the log of a database does not reach the one that takes its place", async () => {
  makeDatabase("old");
  await backupDatabase(home, join(home.dataDir, "b.db"));
  const db = new Database(home.database);
  db.pragma("wal_autocheckpoint = 0");
  db.prepare("UPDATE workspaces SET name = 'newer' WHERE id = 1").run();
  // Nothing closes it properly, as after a crash.
  execFileSync("cp", [`${home.database}-wal`, join(home.dataDir, "kept-wal")]);
  db.close();
  execFileSync("cp", [join(home.dataDir, "kept-wal"), `${home.database}-wal`]);
  const { kept } = await restoreDatabase(home, join(home.dataDir, "b.db"));
  expect(nameIn(home.database)).toBe("old");
  expect(nameIn(String(kept))).toBe("newer");
});

it("what is no sound database, or a newer one, is refused before anything is touched", async () => {
  makeDatabase("mine");
  const backup = join(home.dataDir, "b.db");
  await backupDatabase(home, backup);
  const before = readFileSync(home.database);
  writeFileSync(join(home.dataDir, "text.db"), "no database at all, but long enough to be looked at".repeat(100));
  truncateSync(backup, statSync(backup).size - 4096 * 3);
  const later = join(home.dataDir, "later.db");
  await backupDatabase(home, later);
  const db = new Database(later);
  db.prepare("INSERT INTO migrations (version, name, applied_at) VALUES (?, 'later', 0)").run(newest + 1);
  db.close();
  for (const [name, reason] of [
    ["text.db", "no sound database"],
    ["b.db", "no sound database"],
    ["later.db", "of a newer Stepgate"],
    ["missing.db", "no file"],
    ["stepgate.db", "the database itself"],
  ] as const) {
    const refused = checkBackup(home, join(home.dataDir, name));
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toBeInstanceOf(ApiError);
  }
  expect(readFileSync(home.database).equals(before)).toBe(true);
});

it("migrate tells what is missing, then does it with a copy of what was there; vacuum makes the file smaller", async () => {
  makeDatabase("old", 7);
  const dry = await migrateDatabase(home, true);
  expect(dry).toMatchObject({ from: 7, to: newest, applied: false });
  expect(dry.pending.map(({ version }) => version)).toEqual(migrations.slice(7).map(({ version }) => version));
  const { code, stdout } = await stepgate(home.dataDir, ["db", "migrate", "--json"]);
  expect([code, JSON.parse(stdout)]).toEqual([0, { ...dry, applied: true }]);
  expect(nameIn(join(home.dataDir, "backups", `pre-${newest}.db`))).toBe("old");
  expect(await migrateDatabase(home, false)).toMatchObject({ pending: [], applied: false });
  const db = new Database(home.database);
  db.exec("CREATE TABLE filler (x TEXT) STRICT");
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)";
  db.exec(`${numbers} INSERT INTO filler SELECT hex(randomblob(500)) FROM n`);
  db.exec("DROP TABLE filler");
  db.close();
  const { bytes_before, bytes_after } = await vacuumDatabase(home);
  expect(bytes_after).toBeLessThan(bytes_before / 2);
});

it("the service is written with absolute paths, which systemd accepts, and taken away again", async () => {
  const config = join(home.dataDir, "a folder with % and $HOME");
  mkdirSync(config);
  const bin = join(home.dataDir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "systemctl"), `#!/bin/sh\necho "$@" >> "${home.dataDir}/calls"\n`, { mode: 0o755 });
  const env = { XDG_CONFIG_HOME: config, PATH: `${bin}:${process.env["PATH"]}` };
  const service = async (...args: string[]) => stepgate(home.dataDir, ["service", ...args], { env });
  const { stdout } = await service("install", "--kind", "systemd", "--now", "--json");
  const file = join(config, "systemd/user/stepgate.service");
  expect(JSON.parse(stdout)).toMatchObject({ kind: "systemd", file, enabled: true });
  expect(readFileSync(join(home.dataDir, "calls"), "utf8")).toBe(
    "--user daemon-reload\n--user enable --now stepgate.service\n",
  );
  const text = readFileSync(file, "utf8");
  expect(text).toContain(
    `ExecStart="${launcher}" "serve" "--log-format" "json" "--log-file" "${join(home.dataDir, "daemon.log")}"\n`,
  );
  for (const line of [
    "Type=exec",
    "Restart=on-failure",
    "TimeoutStopSec=40",
    `Environment="STEPGATE_HOME=${home.dataDir}"`,
  ])
    expect(text.split("\n")).toContain(line);
  if (existsSync("/usr/bin/systemd-analyze")) {
    const verified = execFileSync("/usr/bin/systemd-analyze", ["--user", "verify", file], {
      env: { ...process.env, XDG_RUNTIME_DIR: home.dataDir },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(verified).toBe("");
  }
  expect((await service("install", "--kind", "systemd")).code).toBe(2);
  expect((await service("uninstall", "--kind", "systemd", "--yes")).code).toBe(0);
  expect(existsSync(file)).toBe(false);
});
