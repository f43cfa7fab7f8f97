import { describe, expect, it } from "vitest";
import { scopes } from "../../src/contract/scopes.ts";
import { operations } from "../../src/daemon/operations/index.ts";
import { bearer, readAnswer, testRuntime } from "../support/runtime.ts";

/** Every endpoint with the scope that the specification or its supplement gives it: the table itself is held to this. */
const specified: Readonly<Record<string, string>> = {
  "GET /actions": "actions:read",
  "GET /actions/:slug": "actions:read",
  "POST /actions/:slug/run": "actions:run",
  "GET /runs": "runs:read",
  "GET /runs/:run_id": "runs:read",
  "POST /runs/:run_id/approve": "approvals:decide",
  "GET /runs/:run_id/events": "runs:read",
  "POST /runs/:run_id/cancel": "actions:run",
  "GET /runs/:run_id/diff": "runs:read",
  "POST /runs/:run_id/replay": "runs:read",
  "POST /runs/:run_id/replay/preview": "runs:read",
};

const table = operations.map(({ route: [method, path], scope }) => ({ method, path, scope }));

it("the table has the endpoints and scopes that were specified, and no others", () => {
  const found = Object.fromEntries(table.map(({ method, path, scope }) => [`${method} ${path}`, scope]));
  expect(found).toEqual(specified);
});

describe.each(scopes)("a key with %s alone", (scope) => {
  it("is refused with 403 exactly where another scope is asked for, whatever else is wrong", async () => {
    const runtime = await testRuntime({ scopes: [scope] });
    for (const { method, path, scope: asked } of table) {
      const address = path.replaceAll(/:\w+/g, "none");
      for (const query of ["", "?unknown=1"]) {
        const init = { headers: bearer(runtime.secret), ...(method === "POST" && { body: "{ no JSON" }) };
        const answer = await readAnswer(await runtime.request(method, address + query, init));
        const isRefused = answer.status === 403;
        expect([scope, method, path, query, isRefused]).toEqual([scope, method, path, query, scope !== asked]);
        if (!isRefused) continue;
        const error = `The API key lacks the scope ${asked}`;
        expect(answer.body).toEqual({ error, code: "FORBIDDEN" });
        expect(answer.headers.get("x-ratelimit-limit")).toBe("1000");
      }
    }
  });
});
