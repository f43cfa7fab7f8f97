import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
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

/** Puts each of these into its place: through a pipe, a file or a request, never as an argument. */
const secrets = {
  token: "canary-connection-token-01",
  password: "canary-connection-password-02",
  apiKey: "canary-connection-api-key-03",
  modelKey: "canary-model-key-04",
  replacedToken: "canary-replaced-token-05",
  named: "canary-named-secret-06",
  replacedNamed: "canary-replaced-secret-07",
  removedNamed: "canary-removed-secret-08",
  quoted: 'canary "quoted" söcret\\09',
  webhook: "canary-webhook-secret-10",
  rotatedWebhook: "canary-rotated-webhook-11",
  workspace: "canary-other-workspace-12",
};

const spilling = (host: string) => `name: Spill
slug: spill
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: text, type: string}]}}
  - {id: call, type: connector, data: {connector: http, operation: request, connectionId: shop, continueOnFailure: true,
      input: {method: POST, url: "http://${host}/echo?t={{secret.NAMED}}", headers: {x-secret: "{{secret.QUOTED}}"}, body: "{{action_input.text}}"}}}
  - {id: script, type: code, data: {fieldMappings: {all: "{{call}}", own: "{{secret.NAMED}}"},
      code: "export function run(inputs) { console.log(JSON.stringify(inputs)); return inputs; }"}}
  - {id: stop, type: stop_and_error, data: {errorMessage: "gave up with {{secret.NAMED}} on {{script.all.body}}"}}
  - {id: result, type: return_output, data: {properties: [{name: all, type: object, value: "{{script}}"}]}}
edges: [action_input -> call, call -> script, script -> result, script -> stop]
`;

const hook = (secret: string) => `name: Hook
nodes: [{id: trigger, type: trigger, data: {kind: webhook, secret: ${secret}}}, {id: a, type: noop}]
edges: [trigger -> a]
`;

it("no credential, secret or webhook secret is found in any place but sealed", { timeout: 180_000 }, async () => {
  const { home, url, lines, files, run } = await start();
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(JSON.stringify([request.url, request.headers]));
    response.setHeader("content-type", "application/json");
    request.resume().on("end", () => response.end(JSON.stringify([request.url, request.headers])));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers: unknown[] = [];
  const processes: string[] = [];
  const pipe = async (stdin: string, ...args: string[]) => {
    const ended = stepgate(home, [...args, "--json"], { stdin });
    processes.push(execFileSync("ps", ["-Ao", "args"], { encoding: "utf8" }));
    const { code, stdout, stderr } = await ended;
    answers.push(stdout, stderr);
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  const open = JSON.stringify({ allowPrivateNetwork: true, username: "ada" });
  const { token, password, apiKey, replacedToken } = secrets;
  await pipe(
    JSON.stringify({ token: replacedToken }),
    "connections",
    "add",
    "http",
    "--name",
    "shop",
    "--secrets",
    "-",
  );
  const all = JSON.stringify({ token, password, api_key: apiKey });
  await pipe(all, "connections", "update", "shop", "--settings", open, "--secrets", "-");
  const model = JSON.stringify({ api_key: secrets.modelKey });
  await pipe(model, "connections", "add", "openai", "--name", "model", "--secrets", "-");
  await pipe("", "workspace", "create", "team", "--tier", "pro");
  await pipe(secrets.replacedNamed, "secrets", "set", "NAMED", "-");
  await Promise.all([
    pipe(secrets.workspace, "secrets", "set", "NAMED", "-", "--workspace", "team"),
    pipe(secrets.named, "secrets", "set", "NAMED", "-"),
    pipe(secrets.quoted, "secrets", "set", "QUOTED", "-"),
    pipe(secrets.removedNamed, "secrets", "set", "REMOVED", "-"),
  ]);
  await pipe("", "secrets", "remove", "REMOVED", "--yes");
  const publish = async (name: string, text: string) => {
    const file = join(home, "..", `${basename(home)}-${name}.yaml`);
    writeFileSync(file, text);
    onTestFinished(() => rmSync(file, { force: true }));
    return pipe("", "publish", file);
  };
  await publish("spill", spilling(host));
  await publish("hook", hook(secrets.webhook));
  await publish("hook", hook(secrets.rotatedWebhook));

  const key = (await run("keys", "mint", "--name", "one", "--json")) as MintedKey;
  const headers = { authorization: `Bearer ${key.secret}` };
  const input = { text: Object.values(secrets).slice(0, 11).join(" "), base64: btoa(`ada:${password}`) };
  const api = `${url}/api/v1/runtime`;
  const started = await fetch(`${api}/actions/spill/run?wait=20`, {
    method: "POST",
    headers,
    body: JSON.stringify({ input }),
  });
  const spilled = (await started.json()) as { run_id: string; status: string };
  answers.push(JSON.stringify(spilled));
  expect(spilled).toMatchObject({
    status: "failed",
    error: { message: expect.stringMatching(/gave up with \[REDACTED\]/) },
  });
  for (const path of [`/runs/${spilled.run_id}`, `/runs/${spilled.run_id}/events`]) {
    answers.push(await (await fetch(api + path, { headers })).text());
  }
  const listings = [
    ["runs", "logs", spilled.run_id],
    ["connections", "show", "shop"],
    ["workflows", "show", "Hook"],
  ];
  await Promise.all(listings.map(async (args) => pipe("", ...args)));

  // The service was sent the true ones: the test would find them where they are.
  expect(seen.join()).toContain(encodeURIComponent(secrets.named));
  expect(seen.join()).toContain(secrets.token);
  const places = [["log", lines.join("\n")], ["answers", answers.join("\n")], ["ps", processes.join("\n")], ...files()];
  const forms = Object.entries(secrets).flatMap(([name, secret]) =>
    [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret, "utf8").toString("latin1"),
    ].map((form) => [name, form] as const),
  );
  const found = places.flatMap(([place = "", content = ""]) =>
    forms.flatMap(([name, form]) => (content.includes(form) ? [`${name} in ${place}`] : [])),
  );
  expect(found).toEqual([]);
  expect(places.map(([name]) => name)).toContain("stepgate.db-wal");
});
