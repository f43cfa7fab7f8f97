import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ConnectionBody, ConnectionFields } from "../../src/contract/connection.ts";
import { type Ended, atTerminal, stepgate } from "../support/command-line.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { StandIn, answerJson } from "../support/stand-in.ts";

const daemon = new DaemonProcess();
beforeAll(async () => daemon.start());
afterAll(async () => daemon.stop());

const secret = "canary-of-the-command-line";

async function run(args: readonly string[], stdin = ""): Promise<Ended> {
  return stepgate(daemon.home, args, { stdin });
}

async function json<T = Record<string, unknown>>(args: readonly string[], stdin = ""): Promise<T> {
  const { code, stdout, stderr } = await run([...args, "--json"], stdin);
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

it("a connection is made, shown, listed, changed, renamed, tested and removed", async () => {
  const file = join(daemon.home, "shop.json");
  writeFileSync(file, JSON.stringify({ token: secret }));
  const settings = '{"baseUrl":"https://shop.example"}';
  const made = await json([
    "connections",
    "add",
    "http",
    "--name",
    "shop",
    "--settings",
    settings,
    "--secrets",
    `@${file}`,
  ]);
  expect(made).toMatchObject({
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    name: "shop",
    connector: "http",
    status: "active",
    settings: { baseUrl: "https://shop.example" },
    created_at: expect.any(String),
    secret_fields: ["token"],
  });
  expect(await json(["connections", "show", "shop"])).toEqual(made);
  const piped = JSON.stringify({ password: secret });
  const update = [
    "connections",
    "update",
    "shop",
    "--secrets",
    "-",
    "--settings",
    '{"username":"ada"}',
    "--require-approval",
  ];
  expect(await json(update, piped)).toMatchObject({
    settings: { username: "ada" },
    secret_fields: ["password"],
    require_approval: true,
  });
  expect(await json(["connections", "rename", "shop", "shop-eu"])).toMatchObject({ name: "shop-eu", id: made["id"] });
  expect((await run(["connections", "list", "-q"])).stdout.trim()).toBe(made["id"]);
  expect(await json(["connections", "test", "shop-eu"])).toMatchObject({ ok: true, tested: false });
  const unsure = await run(["connections", "remove", "shop-eu"]);
  expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  expect(await json(["connections", "remove", "shop-eu", "--yes"])).toMatchObject({ name: "shop-eu" });
  expect(await json(["connections", "list"])).toEqual({ connections: [] });
});

it("variables and secrets are set, listed and removed; a secret's value is never shown", async () => {
  expect(await json(["vars", "set", "URL", "https://shop.example"])).toMatchObject({
    name: "URL",
    value: "https://shop.example",
  });
  expect(await json(["vars", "set", "TEXT", "-"], "two\nlines\n")).toMatchObject({ value: "two\nlines\n" });
  expect(await json(["secrets", "set", "TOKEN", "-"], `${secret}\n`)).toEqual({
    name: "TOKEN",
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect((await run(["secrets", "set", "PIPED", "-q"], secret)).stdout).toBe("PIPED\n");
  const { secrets } = await json<{ secrets: object[] }>(["secrets", "list"]);
  expect(secrets.map((each) => Object.keys(each))).toEqual(
    Array.from({ length: 2 }, () => ["name", "created_at", "updated_at"]),
  );
  expect((await run(["vars", "list", "-q"])).stdout).toBe("TEXT\nURL\n");
  expect((await run(["secrets", "remove", "TOKEN"])).code).toBe(2);
  expect(await json(["secrets", "remove", "TOKEN", "--yes"])).toMatchObject({ name: "TOKEN" });
  expect(await json(["vars", "remove", "URL", "--yes"])).toMatchObject({ name: "URL" });
});

const wrong: [code: number, says: RegExp, ...args: string[]][] = [
  [
    2,
    /command line, where the list of processes/,
    "connections",
    "add",
    "http",
    "--name",
    "x",
    "--secrets",
    `{"token":"${secret}"}`,
  ],
  [2, /command line, where the list of processes/, "secrets", "set", "TOKEN", secret],
  [2, /secrets must be a JSON object/, "connections", "add", "http", "--name", "x", "--secrets", "-"],
  [
    2,
    /can't both be read from stdin/,
    "connections",
    "add",
    "http",
    "--name",
    "x",
    "--secrets",
    "-",
    "--settings",
    "-",
  ],
  [2, /needs a name/, "connections", "add", "http"],
  [2, /nothing to change/, "connections", "update", "x"],
  [2, /settings .*JSON/, "connections", "add", "http", "--name", "x", "--settings", "{"],
  [5, /no connector htp; did you mean http/, "connections", "add", "htp", "--name", "x"],
  [
    2,
    /has no setting base_url; did you mean baseUrl/,
    "connections",
    "add",
    "http",
    "--name",
    "x",
    "--settings",
    '{"base_url":1}',
  ],
  [5, /No connection has the id or name nobody/, "connections", "show", "nobody"],
  [5, /no secret nobody/, "secrets", "remove", "nobody", "--yes"],
  [2, /must begin with a letter/, "vars", "set", "1x", "y"],
  [5, /no workspace nobody/, "vars", "list", "--workspace", "nobody"],
];

it.each(wrong)("exit %i with %s", async (code, says, ...args) => {
  const { stdout, stderr, code: exit } = await run([...args, "--json"], `not JSON ${secret}`);
  expect([exit, JSON.parse(stderr).error, stdout]).toEqual([code, expect.stringMatching(says), ""]);
  expect(stderr).not.toContain(secret);
});

it("at a terminal what is missing is asked for, and what is typed for a secret does not show", async () => {
  const field = { description: null, required: true };
  const fields: ConnectionFields = {
    connector: "strict",
    name: "Strict",
    auth: "custom",
    sign_in: false,
    fields: [
      { ...field, name: "account", label: "Account", secret: false },
      { ...field, name: "token", label: "Token", secret: true },
    ],
  };
  const bodies: string[] = [];
  await using server = await new StandIn((request, response) => {
    if (request.method === "GET") return answerJson(response, 200, fields);
    request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
    request.on("end", () => {
      const made: Partial<ConnectionBody> = {
        id: "c1",
        name: "shop",
        settings: {},
        secret_fields: ["token"],
        status: "active",
      };
      answerJson(response, 200, made);
    });
  }).listen();
  const answer = `${secret}\r`;
  const args = ["connections", "add", "strict", "--name", "shop", "--settings", '{"account":"a"}'];
  const asked = await atTerminal(server.socketPath, args, { answer });
  expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining("Token")]);
  expect(asked.stderr + asked.stdout).not.toContain(secret);
  expect(JSON.parse(bodies.join(""))).toEqual({
    connector: "strict",
    name: "shop",
    settings: { account: "a" },
    secrets: { token: secret },
    require_approval: false,
  });
});
