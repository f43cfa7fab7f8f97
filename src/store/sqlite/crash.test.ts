import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { crashPoints } from "./crash-point.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stepgate-crash-"));
  file = join(folder, "stepgate.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const fixture = fileURLToPath(new URL("crash.fixture.ts", import.meta.url));

type Ended = { signal: NodeJS.Signals | null; lines: string[]; errors: string };

/** Runs the writing process to its end, whichever it is. */
function runFixture(command: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { env: { ...process.env, ...env } }, (_error, stdout, stderr) => {
      resolve({ signal: child.signalCode, lines: stdout.split("\n").filter(Boolean), errors: stderr });
    });
  });
}

function idsOf(lines: readonly string[], word: string): string[] {
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}

/** What was acknowledged is there, nothing is half there, and the file is sound. */
async function expectWhole(lines: readonly string[]): Promise<void> {
  const store = await openSqliteStore({ file, writer: "inline" });
  const { runs, total } = await store.listRuns({ workspaceId: 1, limit: 100_000, offset: 0 });
  const statuses = new Map(runs.map(({ id, status }) => [id, status]));
  expect(total).toBe(runs.length);
  for (const id of idsOf(lines, "created")) expect([id, statuses.has(id)]).toEqual([id, true]);
  for (const id of idsOf(lines, "finished")) expect([id, statuses.get(id)]).toEqual([id, "succeeded"]);
  for (const { id, seq, status } of runs) {
    expect(seq).toBe(status === "succeeded" ? 4 : 0);
    expect(await store.readJournal(id, 0, 9)).toHaveLength(seq);
  }
  await store.close();
  const db = new Database(file, { readonly: true });
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  expect(db.pragma("foreign_key_check")).toEqual([]);
  db.close();
}

describe("a process that is killed", () => {
  const passage = { "migration.before-commit": 1, "checkpoint.before": 1 };

  test.each(crashPoints)("at %s loses nothing that was acknowledged", async (point) => {
    const n = point in passage ? 1 : 9;
    const ended = await runFixture(process.execPath, [fixture, file, "40"], { STEPGATE_CRASH_POINT: `${point}:${n}` });
    expect(ended).toMatchObject({ signal: "SIGKILL", errors: "" });
    if (point !== "migration.before-commit") expect(idsOf(ended.lines, "created")).not.toEqual([]);
    await expectWhole(ended.lines);
  });

  test("cannot be asked to stop at a point that does not exist", async () => {
    const ended = await runFixture(process.execPath, [fixture, file, "1"], { STEPGATE_CRASH_POINT: "commit.later" });
    expect(ended.errors).toContain("STEPGATE_CRASH_POINT=commit.later must be");
  });
});

test("a process left alone closes its store", async () => {
  const ended = await runFixture(process.execPath, [fixture, file, "40"]);
  expect(ended).toMatchObject({ signal: null, errors: "" });
  expect(ended.lines.at(-1)).toBe("closed");
  await expectWhole(ended.lines);
});

test("after an I/O error the store takes no more writes, and what it acknowledged is there", async () => {
  // A limit on the size of files makes a write to the log fail as a broken disk does; sh counts it in blocks.
  const script = 'ulimit -f 3000; exec "$@"';
  const ended = await runFixture("sh", ["-c", script, "sh", process.execPath, fixture, file, "100000"]);
  const failures = idsOf(ended.lines, "failed");
  expect(idsOf(ended.lines, "created").length).toBeGreaterThan(10);
  expect(failures[0]).toMatch(/SQLITE_IOERR/);
  expect(failures[1]).toMatch(/takes no more writes after an I\/O error/);
  expect(ended.lines.at(-1)).toBe("closed");
  await expectWhole(ended.lines);
});
