import { describe, expect, test } from "vitest";
import type { ConnectionBody, ConnectionTest, SignIn } from "../../src/contract/connection.ts";
import { compile } from "../support/manifests.ts";
import { OAuthServer, clientSecret } from "../support/oauth-server.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";
import { json, until } from "../support/http-service.ts";

const minute = 60_000;

/** A runtime with a connection `mine` to an OAuth2 service, and an action `call` that reads from it. */
async function open(grant: string, tokens: Record<string, string> = {}, auth: object = {}) {
  const server = await OAuthServer.start();
  const outside = await outsideRuntime({ connectors: [compile(server.manifest({ grant, ...auth }))] });
  const secrets = { client_secret: clientSecret, ...tokens };
  const made = await outside.addConnection({ connector: "desk", name: "mine", settings: { client_id: "me" }, secrets });
  await outside.publishCall({ connector: "desk", operation: "get", connectionId: "mine", input: {} });
  const show = async () => (await outside.test.control<ConnectionBody>("GET", "/control/connections/mine")).body;
  const call = async () => outside.test.runToEnd("call");
  return { server, made, show, call, test: outside.test };
}

/** A connection that has signed in. */
async function signedIn() {
  const opened = await open("authorization_code");
  const { access_token, refresh_token } = opened.server.issue();
  const secrets = { client_secret: clientSecret, access_token, refresh_token };
  await opened.test.control("POST", "/control/connections/mine/update", { secrets });
  return opened;
}

describe("a connection with client credentials", () => {
  test("gets a token when it is first used, and keeps it until shortly before its end", async () => {
    const { server, call, show, test: runtime } = await open("client_credentials");
    const runs = await Promise.all([call(), call(), call()]);
    expect(runs.map(({ status }) => status)).toEqual(["succeeded", "succeeded", "succeeded"]);
    expect(server.tokenRequests()).toHaveLength(1);
    runtime.clock.advance(58 * minute);
    await call();
    expect(server.tokenRequests()).toHaveLength(1);
    runtime.clock.advance(1.5 * minute);
    server.valid.clear();
    await call();
    expect(server.tokenRequests()).toHaveLength(2);
    expect((await show()).secret_fields).toEqual(["client_secret", "access_token", "refresh_token"]);
    // What it is asked for can still be changed.
    const settings = { client_id: "me", allowPrivateNetwork: true };
    expect((await runtime.control("POST", "/control/connections/mine/update", { settings })).status).toBe(200);
  });

  test("says who it is in the header where the service wants that", async () => {
    const { server, call } = await open("client_credentials");
    server.wantsHeader = true;
    expect((await call()).status).toBe("succeeded");
    expect(server.tokenRequests()[1]).toEqual({ grant_type: "client_credentials", scope: "read write" });
  });
});

describe("a connection with a refresh token", () => {
  test("goes on in the middle of a run, with one refresh for all calls side by side", async () => {
    const { server, test: runtime, show } = await signedIn();
    const node = (id: string) =>
      `  - {id: ${id}, type: connector, data: {connector: desk, operation: get, connectionId: mine, input: {}}}`;
    await runtime.publish(`
name: twice
slug: twice
nodes:
  - {id: action_input, type: action_input}
${node("first")}
  - {id: pause, type: wait, data: {mode: duration, amount: 1, unit: hours}}
${node("second")}
  - {id: return_output, type: return_output}
edges: [action_input -> first, first -> pause, pause -> second, second -> return_output]
`);
    const starts = await Promise.all(
      [1, 2, 3, 4].map(async () => runtime.post<{ run_id: string }>("/actions/twice/run", { input: {} })),
    );
    const ids = starts.map(({ body }) => body.run_id);
    const statuses = async () => Promise.all(ids.map(async (id) => (await runtime.store.findRun(1, id))?.status));
    await until(async () => (await statuses()).every((status) => status === "waiting"));
    server.valid.clear();
    runtime.clock.advance(60 * minute);
    await until(async () => (await statuses()).every((status) => status !== "waiting" && status !== "running"));
    expect(await statuses()).toEqual(["succeeded", "succeeded", "succeeded", "succeeded"]);
    expect(server.tokenRequests()).toEqual([
      {
        grant_type: "refresh_token",
        refresh_token: "refresh-canary-0",
        client_id: "me",
        client_secret: clientSecret,
      },
    ]);
    expect((await show()).status).toBe("active");
    const answers = JSON.stringify(await Promise.all(ids.map(async (id) => runtime.get(`/runs/${id}/events`))));
    for (const secret of [...server.issued, clientSecret])
      expect(answers + runtime.logged.join("")).not.toContain(secret);
  });

  test("uses the refresh token that came last, also after a restart", async () => {
    const { server, call, test: runtime } = await signedIn();
    for (const _ of [1, 2, 3]) {
      server.valid.clear();
      expect((await call()).status).toBe("succeeded");
    }
    await runtime.restart();
    server.valid.clear();
    expect((await call()).status).toBe("succeeded");
    const sent = server.tokenRequests().map(({ refresh_token }) => refresh_token);
    expect(sent).toEqual([0, 2, 4, 6].map((n) => `refresh-canary-${n}`));
  });

  test("never uses a token that is not on disk", async () => {
    const { server, call, test: runtime } = await signedIn();
    server.valid.clear();
    runtime.runtime.services.store.updateConnection = () => Promise.reject(new Error("The process is dead"));
    expect((await call()).error?.code).toBe("AUTH_EXPIRED");
    const used = server.service.requests.flatMap(({ url, headers }) =>
      url === "/things" ? headers.authorization : [],
    );
    expect(new Set(used)).toEqual(new Set(["Bearer access-canary-0"]));
    // A service that lets a refresh token be used again, since nobody used what it brought.
    server.refreshToken = "refresh-canary-0";
    await runtime.restart();
    expect((await call()).status).toBe("succeeded");
  });

  test("that is refused fails the step for good, and asks no more until somebody signs in", async () => {
    const { server, show, call, test: runtime } = await signedIn();
    await runtime.publish(`
name: call
slug: call
nodes:
  - {id: action_input, type: action_input}
  - {id: call, type: connector, data: {connector: desk, operation: get, connectionId: mine, input: {}, maxRetries: 3}}
  - {id: return_output, type: return_output}
edges: [action_input -> call, call -> return_output]
`);
    server.valid.clear();
    server.refreshToken = null;
    const failed = await call();
    expect([failed.status, failed.error?.code]).toEqual(["failed", "AUTH_EXPIRED"]);
    const things = () => server.service.requests.filter(({ url }) => url === "/things").length;
    expect([things(), server.tokenRequests().length, (await show()).status]).toEqual([1, 1, "needs_auth"]);
    expect(runtime.logged.join("")).toContain("invalid_grant");
    expect(runtime.logged.join("")).not.toContain("canary");
    await call();
    expect([things(), server.tokenRequests().length]).toEqual([2, 1]);
    const { access_token, refresh_token } = server.issue();
    const secrets = { client_secret: clientSecret, access_token, refresh_token };
    await runtime.control("POST", "/control/connections/mine/update", { secrets });
    expect([(await call()).status, (await show()).status]).toEqual(["succeeded", "active"]);
  });

  test("that can't be asked now is asked again by the next call", async () => {
    const { server, call, show } = await signedIn();
    server.valid.clear();
    server.tokenAnswer = json(503, { error: "temporarily_unavailable" });
    expect((await call()).error?.code).toBe("AUTH_EXPIRED");
    server.tokenAnswer = null;
    expect([(await call()).status, (await show()).status]).toEqual(["succeeded", "active"]);
  });

  test("is renewed by a test of the connection too", async () => {
    const { server, test: runtime } = await signedIn();
    server.valid.clear();
    const { body } = await runtime.control<ConnectionTest>("POST", "/control/connections/mine/test");
    expect(body).toMatchObject({ ok: true, tested: true });
    server.valid.clear();
    server.refreshToken = null;
    const again = await runtime.control<ConnectionTest>("POST", "/control/connections/mine/test");
    expect(again.body).toMatchObject({ ok: false, error: { code: "AUTH_EXPIRED" } });
  });
});

describe("a sign-in", () => {
  const redirect_uri = "http://127.0.0.1:45678/callback";

  async function begin() {
    const opened = await open("authorization_code");
    const { test: runtime } = opened;
    const path = "/control/connections/mine/sign-in";
    const { body: begun } = await runtime.control<SignIn>("POST", path, { redirect_uri });
    const finish = async (redirected: string, flow = begun.flow) =>
      runtime.control<ConnectionBody & { error?: string }>("POST", "/control/sign-ins", { flow, redirected });
    const visit = async () => (await fetch(begun.url, { redirect: "manual" })).headers.get("location") ?? "";
    return { ...opened, begun, finish, visit };
  }

  test("with PKCE brings tokens, which the next call uses", async () => {
    const { made, begun, visit, finish, call, server } = await begin();
    expect(made.status).toBe("needs_auth");
    const query = Object.fromEntries(new URL(begun.url).searchParams);
    expect(query).toMatchObject({ scope: "read write", code_challenge_method: "S256", redirect_uri });
    expect(await finish(await visit())).toMatchObject({ status: 200, body: { status: "active" } });
    expect((await call()).status).toBe("succeeded");
    expect(server.tokenRequests()[0]).toMatchObject({ grant_type: "authorization_code", redirect_uri });
  });

  test("takes the code alone, where that is what a person brings", async () => {
    const { visit, finish } = await begin();
    const code = new URL(await visit()).searchParams.get("code") ?? "";
    expect((await finish(code)).body).toMatchObject({ status: "active" });
  });

  test("counts once, and not with the state of another one", async () => {
    const { visit, finish, server, show } = await begin();
    const back = await visit();
    const foreign = back.replace(/state=[^&]*/, "state=forged");
    expect(await finish(foreign)).toMatchObject({ status: 400, body: { error: expect.stringContaining("state") } });
    expect(await finish(back, "unknown")).toMatchObject({ status: 400 });
    expect(server.tokenRequests()).toEqual([]);
    expect((await finish(back)).status).toBe(200);
    expect(await finish(back)).toMatchObject({ status: 400, body: { error: expect.stringContaining("is over") } });
    expect((await show()).status).toBe("active");
  });

  test("is over after ten minutes, and fails where the service or the person says no", async () => {
    const { test: runtime, begun, visit, finish, show } = await begin();
    const state = new URL(begun.url).searchParams.get("state") ?? "";
    const denied = await finish(`${redirect_uri}?error=access_denied&state=${state}`);
    expect(denied).toMatchObject({ status: 400, body: { error: expect.stringContaining("access_denied") } });
    const wrong = await finish(`${redirect_uri}?code=guessed-canary&state=${state}`);
    expect(wrong).toMatchObject({ status: 400, body: { error: expect.stringContaining("invalid_grant") } });
    expect(JSON.stringify(wrong.body) + runtime.logged.join("")).not.toContain("canary");
    const back = await visit();
    runtime.clock.advance(10 * minute);
    expect((await finish(back)).status).toBe(400);
    expect((await show()).status).toBe("needs_auth");
  });

  test("comes back to this machine and nowhere else", async () => {
    const { test: runtime } = await open("authorization_code");
    const elsewhere = { redirect_uri: "https://evil.example/callback" };
    expect((await runtime.control("POST", "/control/connections/mine/sign-in", elsewhere)).status).toBe(400);
    await open("client_credentials", {}, { authorizationUrl: undefined }).then(async ({ test: other }) => {
      const answer = await other.control("POST", "/control/connections/mine/sign-in", { redirect_uri });
      expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("Nobody signs in") } });
    });
  });
});
