import { expect, it } from "vitest";
import { bearer, readAnswer, testRuntime } from "../support/runtime.ts";
import { greet } from "../support/workflows.ts";

const id = "00000000-0000-7000-8000-000000000000";

const bad: [method: "GET" | "POST", path: string, body: string | undefined, status: number, code: string][] = [
  ["POST", "/actions/greet/run", "{", 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run", "[]", 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run", "null", 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run", '"text"', 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run", '{"input": {"name": "a"}, "dry_run": "true"}', 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run", '{"input": {"name": "a"}, "dry_run": null}', 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run", '{"input": {"name": "a"}, "dryRun": true}', 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run", '{"slug": "other"}', 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run", '{"wait": 5}', 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run?wait=61", "{}", 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run?wait=soon", "{}", 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run?dry_run=true", "{}", 400, "BAD_REQUEST"],
  ["POST", "/actions/greet/run", undefined, 400, "INPUT_VALIDATION_FAILED"],
  ["POST", "/actions/greet/run", '{"input": ["name"]}', 400, "INPUT_VALIDATION_FAILED"],
  ["POST", "/actions/greet/run", '{"input": {"name": 5}}', 400, "INPUT_VALIDATION_FAILED"],
  ["POST", "/actions/missing/run", '{"input": {}}', 404, "ACTION_NOT_FOUND"],
  ["GET", "/actions/missing", undefined, 404, "ACTION_NOT_FOUND"],
  ["GET", "/actions?limit=5", undefined, 400, "BAD_REQUEST"],
  ["GET", `/runs/${id}`, undefined, 404, "RUN_NOT_FOUND"],
  ["GET", "/runs/not-a-uuid", undefined, 404, "RUN_NOT_FOUND"],
  ["GET", `/runs/${id}?steps=some`, undefined, 400, "BAD_REQUEST"],
  ["GET", `/runs/${id}?wait=-1`, undefined, 400, "BAD_REQUEST"],
  ["GET", `/runs/${id}/events`, undefined, 404, "RUN_NOT_FOUND"],
  ["GET", `/runs/${id}/events?after=-1`, undefined, 400, "BAD_REQUEST"],
  ["GET", `/runs/${id}/events?limit=0`, undefined, 400, "BAD_REQUEST"],
  ["GET", `/runs/${id}/events?limit=1001`, undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?limit=0", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?limit=101", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?limit=1.5", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?limit=ten", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?limit=10&limit=20", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?offset=-1", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?status=done", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?source=cron", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?needs_approval=maybe", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?has_incident=1", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?date_from=yesterday", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?date_to=2026-02-30", undefined, 400, "BAD_REQUEST"],
  ["GET", "/runs?statsu=failed", undefined, 400, "BAD_REQUEST"],
  ["GET", "/nowhere", undefined, 404, "NOT_FOUND"],
  ["GET", "/runs/", undefined, 404, "NOT_FOUND"],
  ["GET", "/actions/greet/run", undefined, 405, "METHOD_NOT_ALLOWED"],
  ["POST", "/actions", "{}", 405, "METHOD_NOT_ALLOWED"],
  ["GET", "//nowhere", undefined, 404, "NOT_FOUND"],
];

it("bad requests have the shape of every error, and none of them starts a run", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  for (const [method, path, body, status, code] of bad) {
    const answer = method === "GET" ? await runtime.get(path) : await runtime.post(path, body);
    expect([method, path, body, answer.status, answer.body["code"]]).toEqual([method, path, body, status, code]);
    expect(answer.body["error"]).toEqual(expect.any(String));
    expect(Object.keys(answer.body).filter((key) => !["error", "code", "details"].includes(key))).toEqual([]);
    expect(answer.headers.get("content-type")).toBe("application/json");
  }
  expect((await runtime.get("/runs")).body).toMatchObject({ total: 0 });
});

it("a bad value is explained field by field, a misspelt field by the nearest name", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const list = await runtime.get("/runs?limit=0&status=suceeded&ofset=2");
  expect(list.body["details"]).toEqual([
    { field: "status", message: expect.stringContaining("did you mean succeeded?") },
    { field: "limit", message: "limit must be at least 1" },
    { field: "ofset", message: "ofset is not a known field; did you mean offset?" },
  ]);
  const run = await runtime.post("/actions/greet/run", { input: { name: 5, times: 1.5 } });
  expect(run.body["details"]).toEqual([
    { field: "name", message: expect.any(String), rule: "type" },
    { field: "times", message: expect.any(String), rule: "type" },
  ]);
});

it("a body over 1 MiB is 413, one of exactly 1 MiB is read", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const body = (length: number) => `{"input":{"name":"${"x".repeat(length - 21)}"}}`;
  const tooLarge = await runtime.post("/actions/greet/run", body(1024 * 1024 + 1));
  expect([tooLarge.status, tooLarge.body["code"]]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  expect((await runtime.post("/actions/greet/run", body(1024 * 1024))).status).toBe(202);
});

it("foreign hosts and origins are refused before anything else, also where no key is needed", async () => {
  const runtime = await testRuntime();
  const foreign: Record<string, string>[] = [
    { host: "attacker.example:7717" },
    { host: "127.0.0.1:7717", origin: "https://attacker.example" },
    { host: "127.0.0.1:7717", origin: "null" },
    { host: "127.0.0.1:7717", "sec-fetch-site": "cross-site" },
  ];
  for (const headers of foreign) {
    for (const path of ["//healthz", "/actions"]) {
      const answer = await readAnswer(
        await runtime.request("GET", path, { headers: { ...headers, ...bearer(runtime.secret) } }),
      );
      expect([answer.status, answer.body]).toEqual([403, { error: expect.any(String), code: "FORBIDDEN" }]);
    }
  }
});

it("no answer carries CORS headers, preflights are refused", async () => {
  const runtime = await testRuntime();
  const preflight = await runtime.request("OPTIONS", "/actions", {
    headers: {
      origin: "http://127.0.0.1:7717",
      "access-control-request-method": "GET",
      ...bearer(runtime.secret),
    },
  });
  expect(preflight.status).toBe(405);
  for (const { headers } of [preflight, await runtime.get("/actions")]) {
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
});

it("what needs no key is read alone: any other method is 405 and tells those that there are", async () => {
  const runtime = await testRuntime({ approvals: { links: true } });
  const paths = { "//healthz": "GET", "//readyz": "GET", "//metrics": "GET", "//api/v1/openapi.json": "GET" };
  for (const [path, allow] of Object.entries({ ...paths, "//approvals/token": "GET, POST" })) {
    for (const method of ["PUT", "DELETE", "OPTIONS"]) {
      const answer = await readAnswer<{ code: string }>(await runtime.request(method, path));
      const seen = [path, method, answer.status, answer.body.code, answer.headers.get("allow")];
      expect(seen).toEqual([path, method, 405, "METHOD_NOT_ALLOWED", allow]);
    }
  }
  expect((await runtime.request("HEAD", "//healthz")).status).toBe(200);
});

it("health and readiness need no key", async () => {
  const runtime = await testRuntime();
  const [health, ready] = [await runtime.request("GET", "//healthz"), await runtime.request("GET", "//readyz")];
  expect(await health.json()).toEqual({ status: "ok", version: "0.0.0-test" });
  expect(ready.status).toBe(200);
  runtime.runtime.beginStop();
  expect((await runtime.request("GET", "//readyz")).status).toBe(503);
});

it("HEAD is GET without a body, and opens no stream", async () => {
  const runtime = await testRuntime();
  const answer = await runtime.request("HEAD", "/actions", { headers: bearer(runtime.secret) });
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
});

it("an error that no caller may see is INTERNAL_ERROR outside and told in the log", async () => {
  const runtime = await testRuntime();
  runtime.store.listRuns = () => Promise.reject(new Error("disk on fire"));
  const answer = await runtime.get("/runs");
  expect([answer.status, answer.body]).toEqual([500, { error: "Internal error", code: "INTERNAL_ERROR" }]);
  expect(answer.headers.get("x-ratelimit-limit")).toBe("1000");
  expect(runtime.logged.join("")).toContain("disk on fire");
});
