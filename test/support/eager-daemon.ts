// The control of the crash test: a daemon that answers before its writes are durable. Started as a process of its own.
import manifest from "../../package.json" with { type: "json" };
import { resolveHome } from "../../src/daemon/home.ts";
import { startDaemon } from "../../src/daemon/start.ts";
import { newRunRecord } from "../../src/store/sqlite/run-row.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";

const daemon = await startDaemon({
  home: resolveHome(process.env),
  host: "127.0.0.1",
  port: 0,
  version: manifest.version,
  openStore: async (file) => answerEarly(await openSqliteStore({ file, writer: "thread" })),
});
process.on("SIGTERM", () => void daemon.stop());
await daemon.stopped;

/** A run counts as created the moment somebody asks for it. */
function answerEarly(store: Store): Store {
  return {
    ...store,
    async createRun(run) {
      store.createRun(run).catch(() => undefined);
      return { kind: "created", run: newRunRecord(run) };
    },
  };
}
