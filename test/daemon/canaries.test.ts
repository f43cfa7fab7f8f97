import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import type { MintedKey } from "../../src/contract/key.ts";
import { launcher, stepgate } from "../support/command-line.ts";

const workflow = `name: Echo
slug: echo
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: text, type: string}]}}
  - {id: result, type: return_output, data: {properties: [{name: text, type: string, value: "{{action_input.text}}"}]}}
edges: [action_input -> result]
`;

/** A daemon that logs all it can; its log so far, and everything that it left on the disk. */
async function start() {
  const home = mkdtempSync(join(tmpdir(), "stepgate-canaries-"));
  const env = { ...process.env, STEPGATE_HOME: home, STEPGATE_LOG_LEVEL: "debug" };
  const child = spawn(launcher, ["serve", "--port", "0"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const ready = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (url) ready.resolve(url);
    });
  }
  const closed = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await closed;
    rmSync(home, { recursive: true, force: true });
  });
  const files = () =>
    readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name)).toString("latin1")] as const);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await stepgate(home, args);
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
    return JSON.parse(stdout) as unknown;
  };
  return { home, url: await ready.promise, lines, files, run };
}

it("no key or password that a daemon was shown is found in its log or its files", { timeout: 60_000 }, async () => {
  const { home, url, lines, files, run } = await start();
  const file = join(home, "echo.yaml");
  writeFileSync(file, workflow);
  await run("publish", file, "--json");
  const minted = (await run("keys", "mint", "--name", "one", "--json")) as MintedKey;
  const key = (await run("keys", "rotate", "one", "--json")) as MintedKey;
  const unknown = `sgt_${"Canary0nobodys-key".padEnd(32, "_")}`;
  const oauth = `ya29.${"canaryOAuthToken".repeat(3)}`;
  const password = "canary-password-4711";
  const idempotencyKey = "canary-idempotency-key";

  const post = async (path: string, body: string, headers: Record<string, string> = {}, secret = key.secret) =>
    fetch(`${url}${path}`, { method: "POST", body, headers: { authorization: `Bearer ${secret}`, ...headers } });
  const api = "/api/v1/runtime";
  const text = `Bearer ${oauth} and ${key.secret} and api_key=${password}`;
  const started = await post(`${api}/actions/echo/run?wait=20`, JSON.stringify({ input: { text } }), {
    "idempotency-key": idempotencyKey,
  });
  const shown = await started.text();
  expect([started.status, shown]).toEqual([202, expect.stringContaining('"status":"succeeded"')]);
  // Wherever else somebody may put one by mistake.
  await post(`${api}/actions/echo/run?key=${key.secret}`, "{}");
  await post(`${api}/actions/${key.secret}/run`, "{}");
  await post(`${api}/actions/echo/run`, `{ no JSON ${key.secret} ${password}`);
  await post(`${api}/actions/echo/run`, JSON.stringify({ [key.secret]: 1 }));
  await post(`${api}/actions/echo/run`, "{}", { "idempotency-key": key.secret });
  await post(`${api}/actions/echo/run`, "{}", {}, unknown);
  await post(`${api}/actions/echo/run`, "{}", {}, minted.secret);
  await post("/mcp", JSON.stringify({ jsonrpc: "2.0", id: 1, method: key.secret }));
  await post(`${api}/runs/${key.secret}/approve`, JSON.stringify({ decision: "approved", comment: password }));

  const canaries = { rotated: minted.secret, key: key.secret, unknown, oauth, password, idempotencyKey };
  const places = [["log", lines.join("\n")], ["answer", shown], ...files()] as const;
  expect(lines.length).toBeGreaterThan(0);
  expect(places.map(([name]) => name)).toContain("stepgate.db");
  const found = places.flatMap(([place, content]) =>
    Object.entries(canaries).flatMap(([name, canary]) => (content.includes(canary) ? [`${name} in ${place}`] : [])),
  );
  expect(found).toEqual([]);
  // The search finds what is there: the public prefix is kept on purpose.
  expect(places.some(([, content]) => content.includes(key.prefix))).toBe(true);
});
