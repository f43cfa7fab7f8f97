import { describe, expect, it } from "vitest";
import type { Connector, ConnectorOperation, OpenConnection, OperationCall } from "../connector.ts";
import { createConnectorRegistry } from "../connector-registry.ts";
import { type StepOutcome, done, fail } from "../node.ts";
import { fakeWorld } from "../../../test/support/fake-world.ts";
import { createBreakers } from "./breakers.ts";
import { CallError } from "./call-error.ts";
import { createConnectorCaller } from "./connector-caller.ts";

type Run = (call: OperationCall) => Promise<StepOutcome>;

function connection(secret: string): OpenConnection {
  const named = { id: "c1", name: "mine", connector: "service", requireApproval: false };
  return { ...named, settings: {}, secrets: { token: secret } };
}

function open(run: Run, parts: { refreshed?: string; environment?: Record<string, string> } = {}) {
  const operation: ConnectorOperation = {
    key: "act",
    name: "Act",
    description: "",
    inputSchema: { type: "object" },
    outputSchema: null,
    effects: () => "unsafe",
    run,
  };
  const connectorOf = (slug: string): Connector => ({
    slug,
    name: slug,
    description: "",
    version: "1",
    auth: { type: "bearer", optional: false, fields: [] },
    baseUrl: null,
    operations: [operation],
    triggers: [],
  });
  const { world, clock } = fakeWorld("2026-01-15T10:00:00.000Z");
  let refreshes = 0;
  const caller = createConnectorCaller({
    connectors: createConnectorRegistry([connectorOf("service"), connectorOf("openai")]),
    connections: {
      open: async (_, id) => (id === "c1" ? connection("old") : null),
      async refresh() {
        refreshes += 1;
        return parts.refreshed === undefined ? null : connection(parts.refreshed);
      },
      describe: (_, id) => (id === "c1" ? connection("old") : null),
      tell: async () => undefined,
      secretsOf: () => [],
    },
    breakers: createBreakers({ listBreakers: async () => [], saveBreaker: async () => undefined }, world, {
      failures: 5,
      windowSeconds: 300,
      openSeconds: 30,
    }),
    world,
    fetchFor: () => async (_, init) => {
      init?.signal?.throwIfAborted();
      return new Response("fine");
    },
    files: {
      maxBytes: 1,
      save: async () => Promise.reject(new Error("none")),
      open: async () => Promise.reject(new Error("none")),
    },
    startChildRun: async () => fail("UNKNOWN", "No action is run here"),
    environment: parts.environment ?? {},
  });
  const abort = new AbortController();
  const place = {
    workspaceId: 1,
    runId: "r",
    stepId: "s",
    iteration: [1, 2],
    attempt: 1,
    traceparent: null,
    log: () => undefined,
  };
  const calls = caller.callsOf({ ...place, signal: abort.signal });
  const request = { connector: "service", operation: "act", connectionId: "c1", input: {} };
  return { calls, clock, abort, request, refreshes: () => refreshes, act: () => calls.run(request) };
}

const expired = fail("AUTH_EXPIRED", "no");

describe("credentials that are refused", () => {
  it("are refreshed once, and the call is made again with the new ones under the same key", async () => {
    const seen: string[] = [];
    const { act, refreshes } = open(
      async ({ connection: used, idempotencyKey }) => {
        seen.push(`${used?.secrets["token"]} ${idempotencyKey}`);
        return used?.secrets["token"] === "new" ? done("fine") : expired;
      },
      { refreshed: "new" },
    );
    expect(await act()).toEqual(done("fine"));
    expect(seen).toEqual(["old r:s:1.2", "new r:s:1.2"]);
    expect(refreshes()).toBe(1);
  });

  it("are not refreshed twice: what the second call says counts", async () => {
    let calls = 0;
    const { act, refreshes } = open(
      async () => {
        calls += 1;
        return expired;
      },
      { refreshed: "also refused" },
    );
    expect(await act()).toEqual(expired);
    expect([calls, refreshes()]).toEqual([2, 1]);
  });

  it("that can't be refreshed fail the call at once", async () => {
    let calls = 0;
    const { act } = open(async () => {
      calls += 1;
      return expired;
    });
    expect(await act()).toEqual(expired);
    expect(calls).toBe(1);
  });
});

it("an operation that throws is UNKNOWN, one whose fetch failed says what that said, also where a library wraps it", async () => {
  const failure = { code: "UPSTREAM_ERROR", message: "example.com refused the connection", retryable: true };
  const wrapped = new Error("Connection error.", { cause: new TypeError("oops", { cause: new CallError(failure) }) });
  expect(await open(() => Promise.reject(wrapped)).act()).toEqual({ kind: "fail", error: failure });
  expect(await open(() => Promise.reject(new Error("a bug"))).act()).toEqual(fail("UNKNOWN", "a bug"));
});

it("a call with a time-out of its own is cut off by it and answers TIMEOUT", async () => {
  const { calls, request, clock } = open(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("cut off")))),
  );
  const answer = calls.run({ ...request, timeoutMs: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(60_000);
  expect(await answer).toMatchObject({ kind: "fail", error: { code: "TIMEOUT" } });
});

it("a step that ended before its call could be made calls nothing", async () => {
  let made = 0;
  const { act, abort } = open(async () => {
    made += 1;
    return done(null);
  });
  abort.abort(new Error("over"));
  await expect(act()).rejects.toThrow("over");
  expect(made).toBe(0);
});

it("a fetch that forgets its signal ends with the step all the same", async () => {
  const { calls, abort } = open(async () => done(null));
  expect(await (await calls.fetchThrough(null)("http://example.com")).text()).toBe("fine");
  abort.abort(new Error("over"));
  await expect(calls.fetchThrough(null)("http://example.com")).rejects.toThrow("over");
});

it("the daemon's environment stands in for the connection of a model provider, and of nobody else", async () => {
  const environment = { OPENAI_API_KEY: "sk-1", SERVICE_API_KEY: "no" };
  const { calls, request } = open(async ({ connection: used }) => done(used?.secrets ?? null), { environment });
  expect(await calls.run({ ...request, connector: "openai", connectionId: null })).toEqual(done({ api_key: "sk-1" }));
  expect(await calls.run({ ...request, connectionId: null })).toMatchObject({
    error: { code: "VALIDATION_ERROR", message: expect.stringContaining("service needs a connection") },
  });
  expect(await calls.open("openai", null)).toMatchObject({ connection: { name: "OPENAI_API_KEY" } });
  expect(await calls.open("service", null)).toMatchObject({ failure: { kind: "fail" } });
});
