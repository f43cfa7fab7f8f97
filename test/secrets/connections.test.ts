import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { ConnectionBody } from "../../src/contract/connection.ts";
import { connectors } from "../../src/connectors/index.ts";
import { type Connector, type ConnectorAuth } from "../../src/engine/connector.ts";
import { replaceCredentials } from "../../src/engine/connections.ts";
import { fail } from "../../src/engine/node.ts";
import { openConnections } from "../../src/engine/open-connections.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { answerJson } from "../support/stand-in.ts";

/** A service that tells whom it takes the caller for, and everything that it was sent. */
async function withService(options: { connectors?: readonly Connector[] } = {}) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { authorization = "nobody" } = request.headers;
    seen.push(authorization);
    answerJson(response, 200, { echo: authorization, url: request.url });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outside = { egress: { allow: [host], allowPrivateNetworks: false } };
  return { test: await testRuntime({ ...options, outside }), baseUrl: `http://${host}`, seen };
}

const workflow = `
name: Call
slug: call
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: who, type: string}]}}
  - {id: get, type: connector, data: {connector: http, operation: request, connectionId: shop, input: {method: GET, url: /me}}}
  - {id: result, type: return_output, data: {properties: [{name: body, type: object, value: "{{get.body}}"}]}}
edges: [action_input -> get, get -> result]
`;

const add = async (test: TestRuntime, body: object) =>
  test.control<ConnectionBody>("POST", "/control/connections", body);

it("replaced credentials are used by the next call; none of them is kept or shown, in any form", async () => {
  const { test, baseUrl, seen } = await withService();
  const made = await add(test, {
    connector: "http",
    name: "shop",
    settings: { baseUrl },
    secrets: { token: "canary-token-one" },
  });
  expect(made).toMatchObject({
    status: 200,
    body: { name: "shop", connector: "http", status: "active", settings: { baseUrl }, secret_fields: ["token"] },
  });
  await test.publish(workflow);
  const first = await test.runToEnd("call");
  expect(first.output).toEqual({ body: { echo: "Bearer [REDACTED_TOKEN]", url: "/me" } });
  const path = "/control/connections/shop";
  await test.control("POST", `${path}/update`, { secrets: { token: "canary-token-two" } });
  await test.runToEnd("call");
  const basic = { settings: { baseUrl, username: "ada" }, secrets: { password: "canary-password" } };
  await test.control("POST", `${path}/update`, basic);
  const last = await test.runToEnd("call");
  const sent = `Basic ${Buffer.from("ada:canary-password").toString("base64")}`;
  expect(seen).toEqual(["Bearer canary-token-one", "Bearer canary-token-two", sent]);
  const shown = JSON.stringify([
    first,
    last,
    await test.control("GET", path),
    (await test.get(`/runs/${last.run_id}/events`)).body,
  ]);
  expect(shown).toContain("[REDACTED_TOKEN]");
  expect(shown).not.toMatch(/canary/);
  // The password inside the base64 of an echoed header.
  expect(shown).not.toContain(Buffer.from("canary-password").toString("base64").slice(1, -2));
  expect(shown).not.toContain(sent);
  expect((await test.control<ConnectionBody>("GET", path)).body.last_used_at).not.toBeNull();
});

it("a connection may say requireApproval among its settings, too: every call through it is gated", async () => {
  const { test, baseUrl, seen } = await withService();
  const settings = { baseUrl, requireApproval: true };
  const made = await add(test, { connector: "http", name: "shop", settings });
  expect(made.body).toMatchObject({ settings: { baseUrl }, require_approval: true });
  await test.publish(workflow);
  const { body } = await test.post<{ run_id: string }>("/actions/call/run", { input: {} });
  await test.settled();
  const waiting = { status: "waiting_for_approval", approval: { step_id: "get" } };
  expect((await test.get(`/runs/${body.run_id}`)).body).toMatchObject(waiting);
  expect(seen).toEqual([]);
  const path = "/control/connections/shop/update";
  const change = async (given: object) => (await test.control("POST", path, given)).body;
  expect(await change({ settings: { baseUrl } })).toMatchObject({ require_approval: true });
  expect(await change({ settings: { baseUrl, requireApproval: "no" } })).toMatchObject({ code: "BAD_REQUEST" });
  expect(await change({ settings: { baseUrl, requireApproval: false } })).toMatchObject({ require_approval: false });
});

it("a connection is renamed and removed by its id or name; a removed one is not used any more", async () => {
  const { test, baseUrl, seen } = await withService();
  const { body } = await add(test, {
    connector: "http",
    name: "first",
    settings: { baseUrl },
    secrets: { token: "t0ken" },
  });
  await add(test, { connector: "http", name: "other" });
  const rename = async (reference: string, name: string) =>
    (await test.control("POST", `/control/connections/${reference}/update`, { name })).status;
  expect(await rename(body.id, "other")).toBe(409);
  expect(await rename("first", "shop")).toBe(200);
  expect(await rename("first", "again")).toBe(404);
  await test.publish(workflow);
  expect(await test.runToEnd("call")).toMatchObject({ status: "succeeded" });
  expect((await test.control("POST", `/control/connections/${body.id}/remove`)).body).toMatchObject({ name: "shop" });
  expect(await test.runToEnd("call")).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR" } });
  expect(seen).toHaveLength(1);
  const { connections } = (await test.control<{ connections: ConnectionBody[] }>("GET", "/control/connections")).body;
  expect(connections.map(({ name }) => name)).toEqual(["other"]);
});

it("another workspace's connection does not exist, whichever way it is asked for", async () => {
  const { test, baseUrl } = await withService();
  await test.control("POST", "/control/workspaces", { name: "team", tier: "pro" });
  const inTeam = { "x-stepgate-workspace": "team" };
  const request = { connector: "http", name: "shop", settings: { baseUrl }, secrets: { token: "team-token" } };
  const { body } = await test.control<ConnectionBody>("POST", "/control/connections", request, inTeam);
  for (const reference of [body.id, "shop"]) {
    expect((await test.control("GET", `/control/connections/${reference}`)).status).toBe(404);
    for (const verb of ["update", "remove", "test"]) {
      const answer = await test.control("POST", `/control/connections/${reference}/${verb}`, {});
      expect([verb, answer.status]).toEqual([verb, 404]);
    }
  }
  expect((await test.control("GET", "/control/connections")).body).toEqual({ connections: [] });
  const { connections } = test.runtime.services;
  expect(await connections.open(2, body.id)).toMatchObject({ secrets: { token: "team-token" } });
  expect(await connections.open(2, "shop")).not.toBeNull();
  expect([await connections.open(1, body.id), await connections.open(1, "shop")]).toEqual([null, null]);
  expect([connections.secretsOf(1), connections.secretsOf(2)]).toEqual([[], ["team-token"]]);
  const text = workflow.replace("connectionId: shop", `connectionId: ${body.id}`);
  await expect(test.publish(text)).rejects.toThrow(/connection/);
});

const auth: ConnectorAuth = {
  type: "custom",
  optional: false,
  fields: [
    { name: "account", label: "Account", secret: false, required: true },
    { name: "token", label: "Token", secret: true, required: true },
  ],
};

const strict: Connector = {
  slug: "strict",
  name: "Strict",
  description: "Wants all of its fields.",
  version: "1.0.0",
  auth,
  baseUrl: null,
  operations: [],
  triggers: [],
  test: async ({ connection, fetch: call }) => {
    if (connection?.secrets["token"] !== "good-token") {
      return fail("AUTH_EXPIRED", `Refused the token ${connection?.secrets["token"]}`);
    }
    const answer = await call(`${JSON.stringify(connection.settings["baseUrl"]).slice(1, -1)}/test`);
    return answer.ok ? { kind: "done", output: null } : fail("UPSTREAM_ERROR", "not ok");
  },
};

const wrong: [name: string, body: object, field: string, message: RegExp][] = [
  ["a missing secret", { settings: { account: "a" } }, "secrets.token", /token \(Token\) is missing from the secrets/],
  ["a missing setting", { secrets: { token: "t" } }, "settings.account", /missing from the settings/],
  ["a secret among the settings", { settings: { token: "CANARY" } }, "settings.token", /is a secret: give it among/],
  ["a setting among the secrets", { secrets: { account: "a" } }, "secrets.account", /is no secret/],
  ["an unknown field", { secrets: { tokn: "CANARY" } }, "secrets.tokn", /has no secret tokn; did you mean token\?/],
  ["an unknown setting", { settings: { base_url: "x" } }, "settings.base_url", /did you mean baseUrl\?/],
  ["an address with a password", { settings: { baseUrl: "https://u:CANARY@h" } }, "settings.baseUrl", /without a user/],
  ["an address of another kind", { settings: { baseUrl: "file:///etc" } }, "settings.baseUrl", /http or https/],
  [
    "a network that is not yes or no",
    { settings: { allowPrivateNetwork: "yes" } },
    "settings.allowPrivateNetwork",
    /true/,
  ],
  ["a secret that is no text", { secrets: { token: 4711 } }, "secrets.token", /text|string/],
];

it.each(wrong)("%s is refused with its field, and no value of it is repeated", async (_, body, field, message) => {
  const test = await testRuntime({ connectors: [strict] });
  const answer = await add(test, { connector: "strict", name: "shop", ...body });
  expect(answer.status).toBe(400);
  const { details } = answer.body as unknown as { details: { field: string; message: string }[] };
  expect(details.find((detail) => detail.field === field)?.message).toMatch(message);
  expect(JSON.stringify([answer.body, test.logged])).not.toMatch(/CANARY|4711/);
});

it("an unknown connector, a name in use and a name that can't be one are refused", async () => {
  const { test } = await withService();
  const unknown = await add(test, { connector: "htp", name: "shop" });
  expect([unknown.status, unknown.body]).toMatchObject([404, { code: "CONNECTOR_NOT_FOUND" }]);
  expect(JSON.stringify(unknown.body)).toContain("did you mean http?");
  expect((await add(test, { connector: "http", name: "shop" })).status).toBe(200);
  expect((await add(test, { connector: "http", name: "shop" })).status).toBe(409);
  for (const name of ["", ".hidden", "a/b", "x".repeat(101)]) {
    expect((await add(test, { connector: "http", name })).status).toBe(400);
  }
});

it("a test says whether the service takes the credentials, and the connection's status with it", async () => {
  const { test, baseUrl, seen } = await withService({ connectors: [...connectors, strict] });
  const settings = { account: "a", baseUrl };
  await add(test, { connector: "strict", name: "shop", settings, secrets: { token: "canary-wrong" } });
  const tryIt = async (name = "shop") => (await test.control("POST", `/control/connections/${name}/test`)).body;
  expect(await tryIt()).toMatchObject({
    ok: false,
    tested: true,
    error: { code: "AUTH_EXPIRED", message: "Refused the token [REDACTED_TOKEN]" },
  });
  expect((await test.control("GET", "/control/connections/shop")).body).toMatchObject({ status: "needs_auth" });
  await test.control("POST", "/control/connections/shop/update", { secrets: { token: "good-token" } });
  expect(await tryIt()).toMatchObject({ ok: true, tested: true, error: null });
  expect((await test.control("GET", "/control/connections/shop")).body).toMatchObject({ status: "active" });
  expect(seen).toHaveLength(1);
  await add(test, { connector: "http", name: "untested" });
  expect(await tryIt("untested")).toMatchObject({ ok: true, tested: false });
});

it("a lost or changed master key locks the connections and secrets, names the key, and stops nothing else", async () => {
  const masterKey = new Uint8Array(32).fill(1);
  const test = await testRuntime({ masterKey, connectors: [...connectors, strict] });
  const request = { connector: "strict", name: "shop", settings: { account: "a" }, secrets: { token: "canary" } };
  await add(test, request);
  await test.control("POST", "/control/secrets/TOKEN", { value: "canary" });
  await test.publish(`
name: Use
slug: use
nodes:
  - {id: action_input, type: action_input, data: {properties: []}}
  - {id: a, type: set, data: {assignments: [{id: s, key: x, value: "{{secret.TOKEN}}"}]}}
  - {id: r, type: return_output, data: {properties: [{name: x, type: string, value: "{{a.x}}"}]}}
edges: [action_input -> a, a -> r]
`);
  masterKey.fill(2);
  await test.restart();
  expect(test.logged.join()).toMatch(/connection shop can't be opened: .*master key [\da-f]{8}.*STEPGATE_MASTER_KEY/);
  expect((await test.control("GET", "/control/connections/shop")).body).toMatchObject({ status: "locked" });
  const tested = await test.control("POST", "/control/connections/shop/test");
  expect([tested.status, tested.body["error"]]).toEqual([409, expect.stringContaining("put the earlier key back")]);
  const run = await test.runToEnd("use");
  expect(run).toMatchObject({ status: "failed", error: { code: "VALIDATION_ERROR" } });
  expect(run.error?.message).toMatch(/secret TOKEN can't be opened: .*master key/);
  // What is set anew is sealed with the key that there is.
  await test.control("POST", "/control/secrets/TOKEN", { value: "canary" });
  await test.control("POST", "/control/connections/shop/update", { secrets: { token: "good-token" } });
  expect(await test.runToEnd("use")).toMatchObject({ status: "succeeded", output: { x: "[REDACTED]" } });
  expect((await test.control("GET", "/control/connections/shop")).body).toMatchObject({ status: "active" });
});

it("refreshed credentials are stored and used, unless somebody replaced the old ones meanwhile", async () => {
  const test = await testRuntime();
  await add(test, { connector: "http", name: "shop", secrets: { token: "old-token" } });
  const { services } = test.runtime;
  let meanwhile: () => Promise<unknown> = async () => undefined;
  const connections = openConnections({
    ...services,
    replaceSecrets: async (kept, secrets) => replaceCredentials(services, kept, secrets),
    noteStatus: async () => undefined,
    async refreshCredentials(_, connection) {
      await meanwhile();
      return { secrets: { token: `${connection.secrets["token"]}-refreshed` } };
    },
  });
  const tokenAfter = async () => (await connections.refresh(1, "shop"))?.secrets["token"];
  expect(await services.connections.refresh(1, "shop")).toBeNull();
  expect(await tokenAfter()).toBe("old-token-refreshed");
  const update = async (change: object) => test.control("POST", "/control/connections/shop/update", change);
  meanwhile = async () => update({ require_approval: true });
  expect(await tokenAfter()).toBe("old-token-refreshed-refreshed");
  meanwhile = async () => update({ secrets: { token: "replaced" } });
  expect(await tokenAfter()).toBe("replaced");
  expect(await services.connections.open(1, "shop")).toMatchObject({ secrets: { token: "replaced" } });
});
