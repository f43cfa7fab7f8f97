import { expect, it } from "vitest";
import type { Breaker } from "../../src/contract/breaker.ts";
import type { HttpEnv } from "../../src/daemon/http/serve-operations.ts";
import { HttpService, json, until } from "../support/http-service.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";

async function open() {
  const service = await HttpService.start(json(500, {}));
  const outside = await outsideRuntime({ limits: { runsPerHour: 1000, autoPauseAfter: 0 } });
  await outside.publishCall();
  const { test } = outside;
  return {
    service,
    outside,
    test,
    call: async (path = "") => test.runToEnd("call", { method: "GET", url: `${service.url}/${path}` }),
    breakers: async () => (await test.control<{ breakers: Breaker[] }>("GET", "/control/breakers")).body.breakers,
  };
}
const seconds = 1000;

it("five failures within five minutes open the breaker, in whatever order they came: calls fail at once and reach nothing", async () => {
  const { service, test, call, breakers } = await open();
  for (const wait of [0, 80, 80, 80, 80]) {
    test.clock.advance(wait * seconds);
    expect((await call()).error).toMatchObject({ details: { status: 500 } });
  }
  // The first of the five is 320 s old by now.
  expect(await breakers()).toMatchObject([{ status: "closed", failures: 4 }]);
  service.answer = json(200, {});
  await call();
  service.answer = json(500, {});
  test.clock.advance(20 * seconds);
  expect((await call()).error).toMatchObject({ details: { status: 500 } });
  expect((await call("other")).error).toMatchObject({
    code: "UPSTREAM_ERROR",
    retryable: true,
    retryAfterMs: 30_000,
    details: { circuit: "open" },
  });
  expect(service.requests).toHaveLength(7);
  const [opened] = await breakers();
  expect(opened).toEqual({
    connector: "http",
    connection_id: null,
    target: `127.0.0.1:${service.port}`,
    status: "open",
    failures: 0,
    opened_at: "2026-01-15T10:05:40.000Z",
    trial_at: "2026-01-15T10:06:10.000Z",
  });
});

it("one trial call after the pause closes it; failed trials make the pauses grow, and a restart changes nothing", async () => {
  const { service, test, call, breakers } = await open();
  for (let failures = 1; failures <= 5; failures += 1) await call();
  for (const [index, pause] of [30, 60, 120, 300, 300].entries()) {
    test.clock.advance((pause - 1) * seconds);
    if (index === 1) await test.restart();
    expect((await call()).error).toMatchObject({ retryAfterMs: 1000, details: { circuit: "open" } });
    expect(service.requests).toHaveLength(5 + index);
    test.clock.advance(1 * seconds);
    expect((await call()).error).toMatchObject({ details: { status: 500 } });
    expect(service.requests).toHaveLength(6 + index);
  }
  test.clock.advance(300 * seconds);
  service.answer = json(200, {});
  expect((await call()).status).toBe("succeeded");
  expect(await breakers()).toEqual([]);
  expect((await call()).status).toBe("succeeded");
});

it("of runs side by side one gets the trial", async () => {
  const { service, test, outside, call } = await open();
  for (let failures = 1; failures <= 5; failures += 1) await call();
  test.clock.advance(30 * seconds);
  let answer = (): void => undefined;
  service.answer = (_, response) => void (answer = () => response.end("fine"));
  const ids = await Promise.all(
    Array.from({ length: 8 }, async () => outside.driver.start("call", { method: "GET", url: service.url })),
  );
  await until(() => service.requests.length === 6);
  const count = async (status: string) =>
    (await Promise.all(ids.map(async (id) => outside.driver.status(id)))).filter((each) => each === status).length;
  await until(async () => (await count("failed")) === 7);
  answer();
  await until(async () => (await count("succeeded")) === 1);
  expect(service.requests).toHaveLength(6);
});

it("time-outs and 429 count; what the service refuses, and calls that were cancelled, do not", async () => {
  const { service, test, outside, call, breakers } = await open();
  for (const status of [400, 401, 404, 409, 422, 400]) {
    service.answer = json(status, {});
    await call();
  }
  expect(await breakers()).toEqual([]);
  service.answer = () => undefined;
  const begin = async () => {
    const before = service.requests.length;
    const id = await outside.driver.start("call", { method: "GET", url: service.url });
    await until(() => service.requests.length > before);
    return id;
  };
  await test.post(`/runs/${await begin()}/cancel`);
  expect(await breakers()).toEqual([]);
  for (const expected of [1, 2, 3]) {
    await begin();
    test.clock.advance(30 * seconds);
    await until(async () => (await breakers())[0]?.failures === expected);
  }
  service.answer = json(429, {});
  await call();
  expect((await breakers())[0]).toMatchObject({ status: "closed", failures: 4 });
  await call();
  expect((await breakers())[0]).toMatchObject({ status: "open" });
});

it("a trial that is cancelled leaves the next call the trial", async () => {
  const { service, test, outside, call } = await open();
  for (let failures = 1; failures <= 5; failures += 1) await call();
  test.clock.advance(30 * seconds);
  service.answer = () => undefined;
  const id = await outside.driver.start("call", { method: "GET", url: service.url });
  await until(() => service.requests.length === 6);
  await test.post(`/runs/${id}/cancel`);
  service.answer = json(200, {});
  expect((await call()).status).toBe("succeeded");
});

it("each connection, each host without one, and each workspace has a breaker of its own", async () => {
  const { service, test, outside, call, breakers } = await open();
  for (let failures = 1; failures <= 5; failures += 1) await call();
  const settings = { baseUrl: service.url };
  const { id } = await outside.addConnection({ connector: "http", settings });
  await outside.publishCall({ connectionId: id }, "connected");
  const other = await HttpService.start(json(500, {}));
  expect((await test.runToEnd("connected", { method: "GET", url: "/" })).error).toMatchObject({
    details: { status: 500 },
  });
  expect((await test.runToEnd("call", { method: "GET", url: other.url })).error).toMatchObject({
    details: { status: 500 },
  });
  const found = await breakers();
  expect(found.map(({ status, connection_id, target }) => [status, connection_id, target])).toEqual([
    ["open", null, `127.0.0.1:${service.port}`],
    ["closed", id, null],
    ["closed", null, `127.0.0.1:${other.port}`],
  ]);
  await test.control("POST", "/control/workspaces", { name: "second", tier: "free" });
  const elsewhere = await test.control<{ breakers: Breaker[] }>("GET", "/control/breakers", undefined, {
    "x-stepgate-workspace": "second",
  });
  expect(elsewhere.body.breakers).toEqual([]);
});

it("a reset closes it, in the store too, and metrics show what is open", async () => {
  const { service, test, call, breakers } = await open();
  for (let failures = 1; failures <= 5; failures += 1) await call();
  const incoming = { socket: { remoteAddress: "127.0.0.1" } } as unknown as NonNullable<
    HttpEnv["Bindings"]["incoming"]
  >;
  const metrics = async () =>
    (await test.runtime.runtimeApp(new Request("http://127.0.0.1:7717/metrics"), { incoming })).text();
  const line = `stepgate_circuit_open{workspace="1",connector="http",connection="127.0.0.1:${service.port}"}`;
  expect(await metrics()).toContain(`${line} 1`);
  const none = await test.control<{ breakers: Breaker[] }>("POST", "/control/breakers/reset", { connector: "crm" });
  expect(none.body.breakers).toEqual([]);
  const reset = await test.control<{ breakers: Breaker[] }>("POST", "/control/breakers/reset", { connector: "http" });
  expect(reset.body.breakers).toMatchObject([{ status: "open" }]);
  expect(await breakers()).toEqual([]);
  expect(await metrics()).not.toContain(line);
  await test.restart();
  service.answer = json(200, {});
  expect((await call()).status).toBe("succeeded");
});

it("calls that go well cost no commit of their own", async () => {
  const { service, test, call } = await open();
  service.answer = json(200, {});
  await call();
  const { writes } = test.store.stats();
  await call();
  const first = test.store.stats().writes - writes;
  service.answer = json(404, {});
  const before = test.store.stats().writes;
  await call();
  expect(test.store.stats().writes - before).toBeLessThanOrEqual(first);
});
