import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";

// Worker thread of self-check.ts: workerData holds the options of sqliteBinding(), the answer is SQLite's version.
const database = new Database(":memory:", workerData);
try {
  database.exec("CREATE TABLE probe (version TEXT NOT NULL); INSERT INTO probe SELECT sqlite_version()");
  parentPort?.postMessage(database.prepare("SELECT version FROM probe").pluck().get());
} finally {
  database.close();
}
