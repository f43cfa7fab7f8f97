import { describe, expect, it } from "vitest";
import { daemonStatus, publishResult } from "../../src/contract/control.ts";
import { type KeyList, apiKey, mintedKey } from "../../src/contract/key.ts";
import { defaultLimits } from "../../src/contract/limits.ts";
import { defaultScopes } from "../../src/contract/scopes.ts";
import { testRuntime } from "../support/runtime.ts";
import { greet, pass } from "../support/workflows.ts";

it("tells how the daemon is, and every answer names its version", async () => {
  const runtime = await testRuntime();
  const answer = await runtime.control("GET", "/control/status");
  expect(daemonStatus.parse(answer.body)).toMatchObject({ running: true, active_runs: 0 });
  expect(answer.headers.get("x-stepgate-version")).toBe("0.0.0-test");
});

it("while the daemon stops, only its status can be asked for", async () => {
  const runtime = await testRuntime();
  runtime.runtime.beginStop();
  expect((await runtime.control("GET", "/control/status")).status).toBe(200);
  expect((await runtime.control("POST", "/control/stop")).body).toEqual({ stopping: true });
  expect(await runtime.control("GET", "/control/keys")).toMatchObject({ status: 503, body: { code: "OVERLOADED" } });
});

it("a minted key has the default scopes, shows its secret once and works", async () => {
  const runtime = await testRuntime();
  const { body } = await runtime.control("POST", "/control/keys", { name: "ci" });
  const key = mintedKey.strict().parse(body);
  expect(key.secret).toMatch(/^sgt_[\w-]{32}$/);
  expect(key).toMatchObject({ name: "ci", prefix: key.secret.slice(0, 8), scopes: defaultScopes, expires_at: null });
  expect((await runtime.get("/actions", key.secret)).status).toBe(200);
  const list = await runtime.control<KeyList>("GET", "/control/keys");
  expect(list.body.keys.map((row) => apiKey.strict().parse(row).name)).toEqual(["ci", "test"]);
  expect(JSON.stringify(list.body)).not.toContain(key.secret);
});

const refusedKeys: [name: string, request: Record<string, unknown>, message: RegExp][] = [
  ["no name", {}, /name is missing/],
  ["an empty name", { name: "" }, /name must be text that is not empty/],
  ["a long name", { name: "x".repeat(101) }, /name must be at most 100/],
  ["an unknown scope", { name: "a", scopes: ["runs:raed"] }, /did you mean runs:read/],
  ["no scope at all", { name: "a", scopes: [] }, /scopes must be/],
  ["an expiry that has passed", { name: "a", expires_at: "2026-01-15T10:00:00Z" }, /not in the future/],
  ["an expiry that is no time", { name: "a", expires_at: "soon" }, /expires_at must be/],
  ["an unknown field", { name: "a", scope: ["runs:read"] }, /scope is not a known field/],
];

it.each(refusedKeys)("a key with %s is not minted", async (_, request, message) => {
  const runtime = await testRuntime();
  const { status, body } = await runtime.control("POST", "/control/keys", request);
  expect([status, body["code"]]).toEqual([400, "BAD_REQUEST"]);
  expect(body["error"]).toMatch(message);
});

it("over the tier's quota minting is refused with the count and the limit; revoked and expired keys do not count", async () => {
  const activeKeys = { ...defaultLimits.activeKeys, business: 3 };
  const runtime = await testRuntime({ limits: { activeKeys } });
  const second = await runtime.mintKey();
  await runtime.mintKey(undefined, { expires_at: "2026-01-15T10:00:10Z" });
  const refused = await runtime.control("POST", "/control/keys", { name: "one too many" });
  expect(refused).toMatchObject({
    status: 409,
    body: { code: "CONFLICT", details: [{ limit: "active_keys", active: 3, maximum: 3, tier: "business" }] },
  });
  await runtime.control("POST", `/control/keys/${second.id}/revoke`);
  await runtime.mintKey();
  runtime.clock.advance(10_000);
  await runtime.mintKey();
});

it("a key is revoked by its id, prefix or name; a name that fits several is refused with them", async () => {
  const runtime = await testRuntime();
  const [a, b] = [
    await runtime.mintKey(undefined, { name: "twin" }),
    await runtime.mintKey(undefined, { name: "twin" }),
  ];
  const revoke = (reference: string) =>
    runtime.control("POST", `/control/keys/${encodeURIComponent(reference)}/revoke`);
  const refused = await revoke("twin");
  expect([refused.status, refused.body["code"]]).toEqual([409, "CONFLICT"]);
  expect(refused.body["details"]).toEqual(
    expect.arrayContaining([a, b].map(({ id, name, prefix }) => ({ id, name, prefix }))),
  );
  expect((await revoke(a.prefix)).body).toMatchObject({ id: a.id, is_active: false });
  expect((await revoke("twin")).body).toMatchObject({ id: b.id, is_active: false });
  expect((await revoke("twin")).status).toBe(404);
  expect((await revoke("nobody's")).status).toBe(404);
});

it("files are published each by itself: what is new, what is unchanged, what fails and where", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const files = [
    { file: "greet.yaml", text: greet },
    { file: "pass.yaml", text: pass },
    { file: "bad.yaml", text: pass.replace("slug: pass", "slug: bad").replace("gate -> done", "gate -> nowhere") },
    { file: "torn.json", text: "{" },
  ];
  const { status, body } = await runtime.control("POST", "/control/publish", { files });
  expect(status).toBe(200);
  const result = publishResult.parse(body);
  expect(result.published).toMatchObject([
    { file: "pass.yaml", type: "callable", slug: "pass", version: 1, archived_version: null },
  ]);
  expect(result.unchanged).toMatchObject([{ file: "greet.yaml", version: 1 }]);
  expect(result.failed.map(({ file }) => file)).toEqual(["bad.yaml", "torn.json"]);
  for (const issue of result.failed.flatMap(({ issues }) => issues)) {
    expect(issue).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
  }
  expect(result.failed[0]?.issues.some(({ line }) => line === 10)).toBe(true);
});

it("two files that stand for one workflow both fail; nothing of them is published", async () => {
  const runtime = await testRuntime();
  const files = [
    { file: "a.yaml", text: pass },
    { file: "b.yaml", text: pass },
  ];
  const { body } = await runtime.control("POST", "/control/publish", { files });
  const { failed, published } = publishResult.parse(body);
  expect(published).toEqual([]);
  expect(failed.map(({ file, issues }) => [file, issues.map(({ code, line }) => [code, line])])).toEqual([
    ["a.yaml", [["duplicate_workflow", 3]]],
    ["b.yaml", [["duplicate_workflow", 3]]],
  ]);
});

it("two files are one workflow also where one names its id and the other its slug", async () => {
  const runtime = await testRuntime();
  const { published } = await runtime.publish(greet);
  const byId = greet.replace("slug: greet", `id: ${published[0]?.workflow_id}`).replace("Greets somebody", "Hails");
  const files = [byId, greet].map((text, index) => ({ file: `${index}.yaml`, text }));
  const { body } = await runtime.control("POST", "/control/publish", { files });
  const result = publishResult.parse(body);
  expect([result.published, result.unchanged]).toEqual([[], []]);
  expect(result.failed.map(({ issues }) => issues.map(({ code, path }) => [code, path]))).toEqual([
    [["duplicate_workflow", "/id"]],
    [["duplicate_workflow", "/slug"]],
  ]);
});

it("a check publishes nothing and says what publishing would make", async () => {
  const runtime = await testRuntime();
  const check = async (text: string) => {
    const request = { files: [{ file: "g.yaml", text }], check: true };
    return publishResult.parse((await runtime.control("POST", "/control/publish", request)).body);
  };
  expect((await check(greet)).published).toMatchObject([{ slug: "greet", version: 1, archived_version: null }]);
  expect((await runtime.get("/actions")).body["total"]).toBe(0);
  await runtime.publish(greet);
  expect((await check(greet)).unchanged).toMatchObject([{ slug: "greet", version: 1 }]);
  const changed = await check(greet.replace("Greets somebody.", "Greets."));
  expect(changed.published).toMatchObject([{ slug: "greet", version: 2, archived_version: 1 }]);
  expect((await runtime.get("/actions/greet")).body).toMatchObject({ release: { version: 1 } });
});

it("a slug that is missing is told beside every other problem of the file", async () => {
  const runtime = await testRuntime();
  const text = pass.replace("slug: pass\n", "").replace("type: noop", "type: nop");
  const { body } = await runtime.control("POST", "/control/publish", { files: [{ file: "p.yaml", text }] });
  const [failure] = publishResult.parse(body).failed;
  expect(failure?.issues.map(({ code, path, line }) => [code, path, line])).toEqual([
    ["slug_missing", "/slug", 2],
    ["unknown_node_type", "/nodes/1/type", 5],
  ]);
});

describe("a file under another name", () => {
  const hook = (name: string) => `
name: ${name}
nodes:
  - {id: trigger, type: trigger, data: {kind: webhook}}
  - {id: a, type: noop}
edges: [trigger -> a]
`;
  const open = async () => {
    const runtime = await testRuntime();
    return async (file: string, text: string, extra: object = {}) => {
      const request = { files: [{ file, text }], ...extra };
      const { published, unchanged, failed } = publishResult.parse(
        (await runtime.control("POST", "/control/publish", request)).body,
      );
      const rows = [...published, ...unchanged].map(({ workflow_id, version }) => [workflow_id, version]);
      return { rows, codes: failed.flatMap(({ issues }) => issues.map(({ code, path }) => `${code} ${path}`)) };
    };
  };

  it("stays the same workflow where it says which one it was, however often it says so", async () => {
    const publish = await open();
    const [[id] = []] = (await publish("h.yaml", hook("Old"))).rows;
    expect(await publish("h.yaml", hook("New"))).toEqual({ rows: [], codes: ["renamed_workflow /name"] });
    expect(await publish("h.yaml", hook("New"), { rename_from: "Old" })).toEqual({ rows: [[id, 2]], codes: [] });
    expect(await publish("h.yaml", hook("New"), { rename_from: "Old" })).toEqual({ rows: [[id, 2]], codes: [] });
  });

  it("is refused where there is no workflow of the old name, or another one of the new name", async () => {
    const publish = await open();
    await publish("a.yaml", hook("A"));
    await publish("b.yaml", hook("B"));
    const unknown = await publish("c.yaml", hook("C"), { rename_from: "Nobody" });
    expect(unknown).toEqual({ rows: [], codes: ["unknown_workflow "] });
    expect(await publish("b.yaml", hook("A"), { rename_from: "B" })).toEqual({ rows: [], codes: ["name_taken /name"] });
  });

  it("keeps the slug of its action, which a check says too", async () => {
    const publish = await open();
    await publish("g.yaml", greet);
    for (const check of [true, false]) {
      const renamed = await publish("g.yaml", greet.replace("slug: greet", "slug: hail"), {
        rename_from: "greet",
        check,
      });
      expect(renamed).toEqual({ rows: [], codes: ["slug_changed /slug"] });
    }
  });

  it("is one file: several of them can't have been one workflow", async () => {
    const runtime = await testRuntime();
    const files = ["a", "b"].map((name) => ({ file: `${name}.yaml`, text: hook(name) }));
    const { status, body } = await runtime.control("POST", "/control/publish", { files, rename_from: "Old" });
    expect([status, body]).toMatchObject([400, { code: "BAD_REQUEST" }]);
  });
});

it("--slug names the action of a file that names none, and of one file alone", async () => {
  const runtime = await testRuntime();
  const text = pass.replace("slug: pass\n", "");
  const publish = (count: number) =>
    runtime.control("POST", "/control/publish", {
      files: Array.from({ length: count }, (_, index) => ({ file: `${index}.yaml`, text })),
      slug: "named",
    });
  expect((await publish(1)).body).toMatchObject({ published: [{ slug: "named" }] });
  expect((await publish(2)).status).toBe(400);
});

it("a local caller has every scope, no rate limit, and runs in its own name", async () => {
  const requestsPerMinute = { ...defaultLimits.requestsPerMinute, business: 1 };
  const runtime = await testRuntime({ limits: { requestsPerMinute } });
  await runtime.publish(greet);
  for (let index = 0; index < 5; index++) {
    const answer = await runtime.control("GET", "/api/v1/runtime/actions");
    expect([answer.status, answer.headers.get("x-ratelimit-limit")]).toEqual([200, null]);
  }
  const started = await runtime.control("POST", "/api/v1/runtime/actions/greet/run", { input: { name: "Ada" } });
  expect(started.status).toBe(202);
  const run = await runtime.store.findRun(1, String(started.body["run_id"]));
  expect(run?.userId).toBe("tester");
});

it("an event-driven workflow is published with its address", async () => {
  const runtime = await testRuntime();
  const text = (data: string) =>
    `name: On event\nnodes: [{id: trigger, type: trigger, data: ${data}}, {id: a, type: noop}]\nedges: [trigger -> a]\n`;
  const { published } = await runtime.publish(text("{kind: webhook}"));
  const webhook_url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:7717\/webhooks\/[\w-]{32}$/);
  expect(published[0]).toMatchObject({ type: "event_driven", slug: null, version: 1, webhook_url, warnings: [] });
  const again = await runtime.publish(text("{kind: webhook}"));
  expect(again.unchanged[0]?.webhook_url).toBe(published[0]?.webhook_url);
});
