import { describe, expect, it } from "vitest";
import type { EventPage } from "../../src/contract/journal.ts";
import type { Run, RunDetail, RunList } from "../../src/contract/run.ts";
import type { ActionList } from "../../src/contract/action.ts";
import { type Scope, scopes as allScopes } from "../../src/contract/scopes.ts";
import { toolOperations as operations } from "../../src/daemon/operations/index.ts";
import { heldCatalogue } from "../support/held-node.ts";
import { type ToolResult, callTool, failTool, request, resultOf } from "../support/mcp.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { greet, pass } from "../support/workflows.ts";

type Schema = { type?: string; properties: Record<string, Record<string, unknown>>; required?: string[] };
type Definition = {
  name: string;
  title: string;
  description: string;
  inputSchema: Schema;
  outputSchema: Schema;
  annotations: Record<string, boolean>;
};

async function listTools(runtime: TestRuntime, key?: string): Promise<Definition[]> {
  const options = key === undefined ? {} : { key };
  return (await resultOf<{ tools: Definition[] }>(runtime, "tools/list", {}, options)).tools;
}

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const drives = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

const creates = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const replaces = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };
const deploys = { ...replaces, idempotentHint: false };

/** Scope (spec 2.2) and hints of every tool that there is or is to be; those without hints here are beyond the 19. */
const known: Record<string, [scope: Scope, hints: Record<string, boolean> | null]> = {
  list_actions: ["actions:read", reads],
  get_action: ["actions:read", reads],
  run_action: ["actions:run", drives],
  get_run_status: ["runs:read", reads],
  list_runs: ["runs:read", reads],
  get_run_events: ["runs:read", reads],
  approve_run: ["approvals:decide", drives],
  cancel_run: ["actions:run", null],
  replay_run: ["runs:read", null],
  list_connectors: ["connectors:read", reads],
  get_connector_operations: ["connectors:read", reads],
  get_operation_schema: ["connectors:read", reads],
  get_build_status: ["connectors:read", reads],
  build_connector: ["connectors:write", replaces],
  validate_connector: ["connectors:write", reads],
  list_workflows: ["workflows:read", reads],
  get_workflow: ["workflows:read", reads],
  open_workflow: ["workflows:read", reads],
  create_workflow: ["workflows:write", creates],
  update_workflow: ["workflows:write", replaces],
  delete_workflow: ["workflows:write", replaces],
  deploy_workflow: ["workflows:write", deploys],
};

describe("the list of tools", () => {
  it("has a tool for each operation that is one, described in full", async () => {
    const tools = await listTools(await testRuntime());
    expect(tools.map(({ name }) => name)).toEqual(operations.flatMap(({ tool }) => tool?.name ?? []));
    for (const { name, title, description, inputSchema, outputSchema } of tools) {
      expect([name, title.length > 0, description.length > 80]).toEqual([name, true, true]);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: "object", properties: expect.anything() });
      expect(outputSchema).not.toHaveProperty("additionalProperties");
    }
    expect(tools.find(({ name }) => name === "run_action")?.inputSchema).toEqual({
      type: "object",
      additionalProperties: false,
      properties: {
        slug: { type: "string", description: expect.any(String) },
        input: { type: "object", default: {}, description: expect.any(String) },
        dry_run: { type: "boolean", default: false, description: expect.any(String) },
        idempotency_key: { type: "string", pattern: expect.any(String), description: expect.any(String) },
        wait_seconds: { type: "integer", minimum: 0, maximum: 55, default: 0, description: expect.any(String) },
      },
      required: ["slug"],
    });
    expect(tools.find(({ name }) => name === "get_run_status")?.inputSchema.properties["run_id"]).toMatchObject({
      type: "string",
      format: "uuid",
    });
  });

  it("says what each tool does to the world", async () => {
    for (const { name, annotations } of await listTools(await testRuntime())) {
      expect([name, annotations]).toEqual([name, known[name]?.[1] ?? expect.objectContaining({ readOnlyHint: false })]);
    }
  });

  it("has schemas that every client can read: one type each, no dialect, nothing beyond two levels", async () => {
    const text = JSON.stringify(await listTools(await testRuntime()));
    expect(text).not.toMatch(
      /"type":\[|\$schema|"additionalProperties":\{|9007199254740991|"format":"[a-z-]+","pattern"/,
    );
    expect(text.length).toBeLessThan(2_500 * operations.length);
  });

  it("speaks of no tool that is not there", async () => {
    const tools = await listTools(await testRuntime());
    const there = new Set(tools.map(({ name }) => name));
    const verbs = /\b(?:list|get|run|approve|cancel|replay|build|validate|open|create|update|delete|deploy)_[a-z_]+\b/g;
    const fields = new Set(["run_id", "validate_only"]);
    for (const { name, description } of tools) {
      const named = [...description.matchAll(verbs)].map(([word]) => word).filter((word) => !fields.has(word));
      expect([name, named.filter((word) => !there.has(word))]).toEqual([name, []]);
    }
  });

  it("is cut down to what the key's scopes allow, in the same order, and so are the instructions", async () => {
    const runtime = await testRuntime();
    const all = await listTools(runtime);
    for (const scope of allScopes) {
      const { secret: key } = await runtime.mintKey([scope]);
      const shown = await listTools(runtime, key);
      const allowed = new Set(operations.flatMap((op) => (op.scope === scope && op.tool ? [op.tool.name] : [])));
      expect(shown).toEqual(all.filter(({ name }) => allowed.has(name)));
      const { instructions } = await resultOf<{ instructions: string }>(runtime, "initialize", {}, { key });
      for (const { name } of all) if (!allowed.has(name)) expect(instructions).not.toContain(name);
      const hidden = all.find(({ name }) => !allowed.has(name))?.name ?? "";
      expect(await failTool(runtime, hidden, {}, { key })).toMatchObject({ code: "FORBIDDEN" });
    }
  });

  it("comes with instructions of at most 500 characters", async () => {
    const { instructions } = await resultOf<{ instructions: string }>(await testRuntime(), "initialize");
    expect(instructions.length).toBeLessThanOrEqual(500);
    for (const tool of ["list_actions", "get_action", "run_action", "get_run_status"])
      expect(instructions).toContain(tool);
  });
});

describe("a tool's result", () => {
  it("is the body of the REST call of the same meaning, as text and as structure", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const { run_id: id } = await runtime.runToEnd("greet", { name: "Ada" });
    const pairs: [tool: string, args: Record<string, unknown>, path: string][] = [
      ["list_actions", {}, "/actions"],
      ["get_action", { slug: "greet" }, "/actions/greet"],
      ["list_runs", { limit: 5, status: "succeeded" }, "/runs?limit=5&status=succeeded"],
      ["get_run_status", { run_id: id }, `/runs/${id}`],
      ["get_run_status", { run_id: id, steps: "summary" }, `/runs/${id}`],
      ["get_run_status", { run_id: id, steps: "none" }, `/runs/${id}?steps=none`],
      ["get_run_status", { run_id: id, steps: "all" }, `/runs/${id}?steps=all`],
      ["get_run_events", { run_id: id, after: 1, limit: 1 }, `/runs/${id}/events?after=1&limit=1`],
    ];
    for (const [name, args, path] of pairs) {
      const result = await resultOf<ToolResult<unknown>>(runtime, "tools/call", { name, arguments: args });
      const { body } = await runtime.get(path);
      expect([name, result.structuredContent]).toEqual([name, body]);
      expect([name, result.content]).toEqual([name, [{ type: "text", text: JSON.stringify(body) }]]);
      expect(result).not.toHaveProperty("isError");
    }
  });

  it("of run_action is the body of the 202, and the run goes on", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const started = await callTool<Run>(runtime, "run_action", { slug: "greet", input: { name: "Ada" } });
    expect(started).toMatchObject({
      status: "accepted",
      source: "action",
      input: { name: "Ada" },
      steps: [],
      output: null,
    });
    const ended = await callTool<RunDetail>(runtime, "get_run_status", { run_id: started.run_id, wait_seconds: 55 });
    expect(ended).toMatchObject({ status: "succeeded", output: { text: "Hello Ada" } });
    const { events } = await callTool<EventPage>(runtime, "get_run_events", { run_id: started.run_id });
    expect(events.map(({ type }) => type)).toEqual(["step_started", "step_completed"]);
  });

  it("keeps keys of users that look like parts of JavaScript", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const input = '{"name": "Ada", "__proto__": {"polluted": true}, "constructor": 1}';
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_action","arguments":{"slug":"greet","input":${input}}}}`;
    const response = await runtime.request("POST", "//mcp", {
      headers: { "content-type": "application/json", authorization: `Bearer ${runtime.secret}` },
      body: call,
    });
    expect(await response.text()).toContain('"structuredContent":{"run_id"');
    const { run_id: id } = await runtime.newestRun();
    expect(JSON.stringify((await runtime.get(`/runs/${id}`)).body["input"])).toBe(
      '{"name":"Ada","__proto__":{"polluted":true},"constructor":1}',
    );
    const refused = await runtime.request("POST", "//mcp", {
      headers: { "content-type": "application/json", authorization: `Bearer ${runtime.secret}` },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_runs","arguments":{"__proto__":{"limit":1}}}}',
    });
    expect(await refused.text()).toContain("__proto__ is not a known field");
  });
});

describe("arguments", () => {
  it("that are absent or null are none", async () => {
    const runtime = await testRuntime();
    for (const args of [undefined, null, {}]) {
      expect(await callTool(runtime, "list_actions", args)).toEqual({ actions: [], total: 0 });
    }
  });

  it("that are booleans or numbers may come as texts", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const dry = await callTool<Run>(runtime, "run_action", { slug: "greet", input: { name: "Ada" }, dry_run: "true" });
    expect(dry).toMatchObject({ dry_run: true, status: "succeeded" });
    const page = await callTool<RunList>(runtime, "list_runs", { needs_approval: "false", limit: "7", offset: 0 });
    expect(page).toMatchObject({ limit: 7, total: 1 });
    expect(await failTool(runtime, "list_runs", { needs_approval: "maybe" })).toMatchObject({ code: "BAD_REQUEST" });
    expect(await failTool(runtime, "run_action", { slug: "greet", dry_run: "yes" })).toMatchObject({
      code: "BAD_REQUEST",
    });
  });

  it("that are empty texts ask for nothing where a tool only reads, as in a query, and are refused where it acts", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    await callTool(runtime, "run_action", { slug: "greet", input: { name: "Ada" }, dry_run: true });
    const empty = { action_slug: "", status: "", source: "", date_from: "", has_incident: "", limit: "" };
    const page = await callTool<RunList>(runtime, "list_runs", empty);
    expect(page).toEqual(
      (await runtime.get("/runs?action_slug=&status=&source=&date_from=&has_incident=&limit=")).body,
    );
    expect(page).toMatchObject({ total: 1, limit: 20 });
    expect(await failTool(runtime, "get_run_status", { run_id: "" })).toMatchObject({ code: "RUN_NOT_FOUND" });
    const refused = await failTool(runtime, "run_action", { slug: "greet", dry_run: "" });
    expect(refused).toMatchObject({ code: "BAD_REQUEST", details: [{ field: "dry_run" }] });
  });

  it("with an idempotency_key start one run, however often they come", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const args = { slug: "greet", input: { name: "Ada" }, idempotency_key: "k-1" };
    const first = await callTool<Run>(runtime, "run_action", args);
    const again = await callTool<Run>(runtime, "run_action", args);
    expect(again.run_id).toBe(first.run_id);
    expect(await failTool(runtime, "run_action", { ...args, input: { name: "Eve" } })).toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
    });
    expect((await runtime.get("/runs")).body["total"]).toBe(1);
  });

  it("input that is no object counts as an empty one", async () => {
    const runtime = await testRuntime();
    await runtime.publish(pass);
    for (const input of ["text", null, 7, [1]]) {
      const run = await callTool<Run>(runtime, "run_action", { slug: "pass", input, dry_run: true });
      expect(run.input).toEqual({});
    }
  });

  it("query finds actions by slug, name and description, whatever the case", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    await runtime.publish(pass);
    const find = async (query: string) =>
      (await callTool<ActionList>(runtime, "list_actions", { query })).actions.map(({ slug }) => slug);
    expect(await find("")).toEqual(["greet", "pass"]);
    expect(await find("GREETS SOMEBODY")).toEqual(["greet"]);
    expect(await find("Pass")).toEqual(["pass"]);
    expect(await find("nothing")).toEqual([]);
  });
});

describe("wait_seconds", () => {
  it("holds the answer until the run ends", async () => {
    const { catalogue, letGo } = heldCatalogue();
    const runtime = await testRuntime({ catalogue });
    await runtime.publish(pass);
    const answer = callTool<Run>(runtime, "run_action", { slug: "pass", wait_seconds: 55 });
    await runtime.started((await runtime.newestRun()).run_id);
    letGo();
    expect(await answer).toMatchObject({ status: "succeeded", output: { ok: true } });
  });

  it("holds no answer about a run that waits for a person from its start on, nor about its repetition", async () => {
    const runtime = await testRuntime();
    await runtime.publish(`${pass}approval_policy: always\n`);
    const args = { slug: "pass", idempotency_key: "k", wait_seconds: 55 };
    const first = await callTool<Run>(runtime, "run_action", args);
    expect(first).toMatchObject({ status: "waiting_for_approval", approval: { status: "pending" } });
    expect(await callTool<Run>(runtime, "run_action", args)).toMatchObject({ run_id: first.run_id });
  });

  it("starts no run for a key that may not hold one more answer", async () => {
    const { catalogue, letGo } = heldCatalogue();
    const runtime = await testRuntime({ catalogue });
    await runtime.publish(pass);
    const { run_id: id } = await callTool<Run>(runtime, "run_action", { slug: "pass" });
    await runtime.started(id);
    const held = Array.from({ length: 16 }, async () =>
      callTool(runtime, "get_run_status", { run_id: id, wait_seconds: 55 }),
    );
    await runtime.settled();
    const refused = await failTool(runtime, "run_action", { slug: "pass", wait_seconds: 55 });
    expect(refused).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", details: [{ limit: "open_answers" }] });
    expect((await runtime.post("/actions/pass/run?wait=60")).status).toBe(429);
    expect((await runtime.get("/runs")).body["total"]).toBe(1);
    letGo();
    expect(await Promise.all(held)).toHaveLength(16);
  });

  it("gives the run as it stands when the time is up", async () => {
    const { catalogue } = heldCatalogue();
    const runtime = await testRuntime({ catalogue });
    await runtime.publish(pass);
    const { run_id: id } = await callTool<Run>(runtime, "run_action", { slug: "pass" });
    await runtime.started(id);
    const answer = callTool<RunDetail>(runtime, "get_run_status", { run_id: id, wait_seconds: 3 });
    await runtime.settled();
    runtime.clock.advance(3_000);
    expect(await answer).toMatchObject({ status: "running", steps: [{ step_id: "gate", status: "running" }] });
  });

  it("ends with UNAUTHORIZED when the key is revoked meanwhile", async () => {
    const { catalogue } = heldCatalogue();
    const runtime = await testRuntime({ catalogue });
    await runtime.publish(pass);
    const { run_id: id } = await callTool<Run>(runtime, "run_action", { slug: "pass" });
    await runtime.started(id);
    const key = await runtime.mintKey();
    const answer = failTool(runtime, "get_run_status", { run_id: id, wait_seconds: 55 }, { key: key.secret });
    await runtime.settled();
    await runtime.control("POST", `/control/keys/${key.id}/revoke`);
    expect(await answer).toEqual({ error: "API key revoked", code: "UNAUTHORIZED" });
  });
});

it.each(allScopes)("a key with the scope %s alone may call its tools and no other", async (scope) => {
  const runtime = await testRuntime({ scopes: [scope] });
  for (const { tool } of operations) {
    if (!tool) continue;
    const { body } = await request(runtime, "tools/call", { name: tool.name, arguments: { nonsense: 1 } });
    const isForbidden = JSON.stringify(body).includes("FORBIDDEN");
    expect([tool.name, isForbidden]).toEqual([tool.name, known[tool.name]?.[0] !== scope]);
  }
});
