import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Client } from "../../src/cli/client.ts";
import type { PublishResult } from "../../src/contract/control.ts";
import type { MintedKey } from "../../src/contract/key.ts";
import { type Scope, scopes as allScopes } from "../../src/contract/scopes.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { type StartOptions, startDaemon } from "../../src/daemon/start.ts";

/** A daemon in this process with sockets of its own, for clients that want a real server. */
export type LiveDaemon = {
  url: string;
  /** The home folder; as STEPGATE_HOME it leads the command line here. */
  folder: string;
  publish(text: string, file?: string): Promise<void>;
  /** The secret of a new key; with all scopes unless some are named. */
  mintKey(scopes?: readonly Scope[]): Promise<string>;
  stop(): Promise<void>;
};

/** Starts one on any free port, on a home of its own, in real time. Ends with the test. */
export async function liveDaemon(options: Partial<StartOptions> = {}): Promise<LiveDaemon> {
  const folder = mkdtempSync(join(tmpdir(), "stepgate-live-"));
  const home = resolveHome({ STEPGATE_HOME: folder });
  const address = { host: "127.0.0.1", port: 0 };
  const daemon = await startDaemon({ home, ...address, version: "0.0.0-test", logLevel: "warn", ...options });
  const open = new AbortController();
  const control = new Client({ socketPath: home.socket }, { signal: open.signal });
  onTestFinished(async () => {
    open.abort();
    await daemon.stop();
    rmSync(folder, { recursive: true });
  });
  return {
    url: daemon.url,
    folder,
    stop: async () => daemon.stop(),
    async publish(text, file = "test.yaml") {
      const files = [{ file, text }];
      const { failed } = await control.post<PublishResult>("/control/publish", { files });
      if (failed.length > 0) throw new Error(JSON.stringify(failed));
    },
    async mintKey(scopes = allScopes) {
      return (await control.post<MintedKey>("/control/keys", { name: "test", scopes })).secret;
    },
  };
}
