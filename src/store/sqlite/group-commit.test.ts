import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSampleRun, getRun, publishSample, range } from "../suite/samples.ts";
import { openWriter } from "./connection.ts";
import { migrations } from "./migrations/index.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stepgate-commits-"));
  file = join(folder, "stepgate.db");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe.each(["inline", "thread"] as const)("with its writer %s", (writer) => {
  test("a store shares one commit among the writes of one turn", async () => {
    const store = await openSqliteStore({ file, writer });
    const place = await publishSample(store);
    const before = store.stats();
    const writes = [];
    for (const _ of range(100)) {
      writes.push(createSampleRun(store, place));
      await Promise.resolve();
    }
    await Promise.all(writes);
    expect(store.stats()).toEqual({ commits: before.commits + 1, writes: before.writes + 100 });
    await store.close();
  });

  test("a store splits what is too much for one commit", async () => {
    const store = await openSqliteStore({ file, writer });
    const place = await publishSample(store);
    const before = store.stats().commits;
    await Promise.all(range(1100).map(() => createSampleRun(store, place)));
    expect(store.stats().commits - before).toBe(3);
    await store.close();
  });

  test("a store that is opened again holds what it held", async () => {
    const store = await openSqliteStore({ file, writer });
    const run = await createSampleRun(store, await publishSample(store));
    await store.close();
    expect([`${file}-wal`, `${file}-shm`].filter(existsSync)).toEqual([]);
    const again = await openSqliteStore({ file, writer });
    expect(await getRun(again, run)).toEqual(run);
    expect(again.schemaVersion()).toBe(migrations.length);
    await again.close();
  });

  test("closing flushes what was asked for", async () => {
    const store = await openSqliteStore({ file, writer });
    const place = await publishSample(store);
    const writes = range(20).map(() => createSampleRun(store, place));
    await Promise.all([store.close(), ...writes]);
    const again = await openSqliteStore({ file, writer });
    const { total } = await again.listRuns({ workspaceId: place.workspaceId, limit: 1, offset: 0 });
    expect(total).toBe(20);
    await again.close();
  });

  test("a database that a newer Stepgate wrote is not opened", async () => {
    const { db } = openWriter({ file });
    db.exec("INSERT INTO migrations (version, name, applied_at) VALUES (4711, 'later', 0)");
    db.close();
    await expect(openSqliteStore({ file, writer })).rejects.toThrow(/has schema 4711, .* a newer one wrote it/);
  });
});

describe("a writer thread", () => {
  test("commits together what arrives while it commits", async () => {
    vi.stubEnv("STEPGATE_CRASH_POINT", "commit.before=100");
    const store = await openSqliteStore({ file, writer: "thread" });
    const place = await publishSample(store);
    const before = store.stats().commits;
    const writes = [createSampleRun(store, place)];
    for (const _ of range(20)) {
      await nextTurn();
      writes.push(createSampleRun(store, place));
    }
    await Promise.all(writes);
    expect(store.stats().commits - before).toBeLessThanOrEqual(3);
    await store.close();
  });

  test("that dies fails the writes it has not answered, and all later ones", async () => {
    let thread: Worker | undefined;
    const newWorker = (workerData: unknown) =>
      (thread = new Worker(new URL("writer-thread.ts", import.meta.url), { workerData }));
    const store = await openSqliteStore({ file, writer: "thread", newWorker });
    const place = await publishSample(store);
    const ended = thread && once(thread, "exit");
    const write = createSampleRun(store, place);
    void thread?.terminate();
    await expect(write).rejects.toThrow(/writer has ended/);
    await ended;
    await expect(createSampleRun(store, place)).rejects.toThrow(/writer has ended/);
    await store.close();
  });

  test("cannot share a database in memory", async () => {
    await expect(openSqliteStore({ file: ":memory:", writer: "thread" })).rejects.toThrow(/inline writer/);
  });
});
