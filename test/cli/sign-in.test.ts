import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { stringify } from "yaml";
import { Client } from "../../src/cli/client.ts";
import type { ConnectionBody, ConnectionTest } from "../../src/contract/connection.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { launcher, stepgate } from "../support/command-line.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { OAuthServer, clientSecret } from "../support/oauth-server.ts";

const settings = JSON.stringify({ client_id: "me", allowPrivateNetwork: true });

async function open() {
  const server = await OAuthServer.start();
  const { folder } = await liveDaemon();
  const write = (name: string, content: string, mode = 0o600): string => {
    const file = join(folder, name);
    writeFileSync(file, content, { mode });
    return file;
  };
  expect(
    await stepgate(folder, ["connectors", "build", write("desk.yaml", stringify(server.manifest()))]),
  ).toMatchObject({
    code: 0,
  });
  const secrets = write("client.json", JSON.stringify({ client_secret: clientSecret }));
  const add = ["connections", "add", "desk", "--name", "crm", "--settings", settings, "--secrets", `@${secrets}`];
  const { socket } = resolveHome({ STEPGATE_HOME: folder });
  const client = new Client({ socketPath: socket }, { signal: new AbortController().signal });
  const works = async () => (await client.post<ConnectionTest>("/control/connections/crm/test")).ok;
  return { server, folder, write, add, works };
}

/** A browser that goes where it is sent, and notes what it sees. */
function browser(seen: string): string {
  return `#!${process.execPath}
const answer = await fetch(process.argv[2]);
(await import("node:fs")).writeFileSync(${JSON.stringify(seen)}, await answer.text());
`;
}

test("adding a connection opens the browser and waits for the person who signs in", { timeout: 60_000 }, async () => {
  const { server, folder, write, add, works } = await open();
  const seen = join(folder, "seen.txt");
  const env = { BROWSER: write("browser.mjs", browser(seen), 0o700) };
  const added = await stepgate(folder, [...add, "--json"], { env });
  expect(added).toMatchObject({ code: 0 });
  expect(JSON.parse(added.stdout)).toMatchObject({ connector: "desk", name: "crm", status: "active" });
  // The browser is a process of its own, which nobody waits for.
  await vi.waitFor(() => expect(readFileSync(seen, "utf8")).toContain("You are signed in."), { timeout: 20_000 });
  expect(await works()).toBe(true);
  server.valid.clear();
  server.refreshToken = null;
  expect(await works()).toBe(false);
  const again = await stepgate(folder, ["connections", "reauthorize", "crm", "--json"], { env });
  expect(JSON.parse(again.stdout)).toMatchObject({ status: "active" });
  const printed = added.stdout + added.stderr + again.stdout + again.stderr;
  for (const secret of [...server.issued, clientSecret, "code-canary"]) {
    expect(printed).not.toContain(secret);
    for (const file of readdirSync(folder).filter((name) => /\.db|\.log/.test(name))) {
      expect(readFileSync(join(folder, file)).includes(secret)).toBe(false);
    }
  }
});

test("without a browser the address is printed, and what it leads to is pasted", { timeout: 60_000 }, async () => {
  const { folder, add } = await open();
  const env = { ...process.env, STEPGATE_HOME: folder };
  const child = spawn(launcher, [...add, "--no-browser", "--json"], { env, stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "close");
  const stdout = text(child.stdout);
  let told = "";
  for await (const chunk of child.stderr) {
    told += String(chunk);
    const url = /https?:\/\/\S+/.exec(told)?.[0];
    if (!url || !told.includes("Paste")) continue;
    const response = await fetch(url, { redirect: "manual" });
    child.stdin.end(`${response.headers.get("location")}\n`);
    break;
  }
  const [code] = (await ended) as [number];
  expect([code, (JSON.parse(await stdout) as ConnectionBody).status]).toEqual([0, "active"]);
});

test("where nobody can sign in the connection is made, and says what is left to do", { timeout: 60_000 }, async () => {
  const { folder, add } = await open();
  const added = await stepgate(folder, add, { env: { BROWSER: "" } });
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining("needs")]);
  const late = await stepgate(folder, ["connections", "reauthorize", "crm", "--sign-in-timeout", "1s"], {
    env: { BROWSER: "true" },
  });
  expect([late.code, late.stderr]).toEqual([2, expect.stringContaining("Nobody signed in within 1 s")]);
});
