import { describe, expect, it } from "vitest";
import type {
  ConnectorBuild,
  ConnectorCheck,
  ConnectorList,
  ConnectorOperations,
  OperationSchemaBody,
} from "../../src/contract/connector-api.ts";
import { HttpService, json, until } from "../support/http-service.ts";
import { exampleText, sampleManifest } from "../support/manifests.ts";
import { callTool, failTool } from "../support/mcp.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";

type Data = Record<string, unknown>;

const get = {
  key: "get_thing",
  name: "Get a thing",
  method: "GET",
  path: "/things/{{input.id}}",
  inputSchema: { type: "object", required: ["id"], properties: { id: { type: "string" }, n: { type: "integer" } } },
  request: { query: { n: "{{input.n}}" } },
};
const keyed = { auth: { type: "api_key", name: "X-Key" }, operations: [get] };

async function ended(runtime: TestRuntime, id: string): Promise<ConnectorBuild> {
  const read = async () => callTool<ConnectorBuild>(runtime, "get_build_status", { build_id: id });
  await until(async () => (await read()).completed_at !== null, 20_000);
  return read();
}

async function build(runtime: TestRuntime, source: Data): Promise<ConnectorBuild> {
  const { build_id } = await callTool<ConnectorBuild>(runtime, "build_connector", source);
  return ended(runtime, build_id);
}

const workflow = (data: string) => `
name: Fetch
slug: fetch
nodes:
  - { id: action_input, type: action_input, data: { properties: [{ name: id, type: string, required: true }] } }
  - { id: fetch, type: connector, data: ${data} }
  - { id: return_output, type: return_output, data: { properties: [{ name: thing, type: object, value: "{{fetch}}" }] } }
edges: [action_input -> fetch, fetch -> return_output]
`;

describe("an agent builds a connector", () => {
  it("of a manifest, is told its mistakes, and a workflow calls the service through it", async () => {
    const service = await HttpService.start(json(200, { is: "a thing" }));
    const runtime = await testRuntime({ outside: { egress: { allow: [service.place], allowPrivateNetworks: false } } });
    const broken = sampleManifest({ ...keyed, operations: [{ ...get, path: "/things/{{input.idd}}" }] });
    const checked = await callTool<ConnectorCheck>(runtime, "validate_connector", { definition: broken });
    expect(checked).toEqual({
      valid: false,
      errors: [
        {
          code: "unknown_name",
          message: "{{input.idd}}: input has no idd; did you mean id?",
          path: "/operations/0/path",
          line: null,
          column: null,
        },
      ],
      warnings: [],
    });
    expect(await build(runtime, { definition: broken })).toMatchObject({ status: "failed", errors: checked.errors });
    const definition = sampleManifest({ ...keyed, baseUrl: service.url });
    expect(await callTool(runtime, "validate_connector", { definition })).toEqual({
      valid: true,
      errors: [],
      warnings: [],
    });
    expect(await build(runtime, { definition })).toMatchObject({
      connector_id: "desk",
      status: "succeeded",
      errors: [],
      operations: [{ operation_id: "get_thing", kind: "action", name: "Get a thing" }],
    });
    const { connectors } = await callTool<ConnectorList>(runtime, "list_connectors", { query: "DESK" });
    const shown = { connector_id: "desk", name: "Desk", description: "", version: "1", status: "built" };
    expect(connectors).toEqual([{ ...shown, operation_count: 1, trigger_count: 0 }]);
    const schema = await callTool<OperationSchemaBody>(runtime, "get_operation_schema", {
      connector_id: "desk",
      operation_id: "get_thing",
    });
    expect(schema).toMatchObject({
      inputSchema: get.inputSchema,
      outputSchema: null,
      auth: { type: "api_key", required: true },
    });

    const added = await runtime.control("POST", "/control/connections", {
      connector: "desk",
      name: "mine",
      secrets: { api_key: "s3cr3t-key" },
    });
    expect(added.status).toBe(200);
    await runtime.publish(
      workflow(
        '{ connector: desk, operation: get_thing, connectionId: mine, input: { id: "{{action_input.id}}", n: "5" } }',
      ),
    );
    expect(await runtime.runToEnd("fetch", { id: "a/b" })).toMatchObject({
      status: "succeeded",
      output: { thing: { is: "a thing" } },
    });
    expect(service.requests[0]).toMatchObject({
      method: "GET",
      url: "/things/a%2Fb?n=5",
      headers: { "x-key": "s3cr3t-key" },
    });

    await build(runtime, { definition: { ...definition, operations: [{ ...get, path: "/other/{{input.id}}" }] } });
    await runtime.runToEnd("fetch", { id: "c" });
    expect(service.requests[1]?.url).toBe("/other/c?n=5");
  });

  it("whose credentials are optional: a connection may be made for its settings alone", async () => {
    const runtime = await testRuntime();
    const service = await HttpService.start();
    for (const type of ["bearer", "basic"]) {
      const auth = { type, optional: true };
      await build(runtime, {
        definition: sampleManifest({ slug: "desk", baseUrl: service.url, operations: [get], auth }),
      });
      const request = { connector: "desk", name: type, settings: { allowPrivateNetwork: true } };
      expect(await runtime.control("POST", "/control/connections", request)).toMatchObject({ status: 200 });
      await runtime.publish(
        workflow(`{ connector: desk, operation: get_thing, connectionId: ${type}, input: { id: "1" } }`),
      );
      expect(await runtime.runToEnd("fetch", { id: "1" })).toMatchObject({ status: "succeeded" });
      expect(service.requests.at(-1)?.headers).not.toHaveProperty("authorization");
    }
    expect(service.requests).toHaveLength(2);
  });

  it("of an OpenAPI object or text, which needs a slug", async () => {
    const runtime = await testRuntime();
    const openapi = exampleText("3.1/json/train-travel");
    expect(await failTool(runtime, "build_connector", { openapi })).toMatchObject({
      code: "BAD_REQUEST",
      details: [{ field: "slug" }],
    });
    expect(await failTool(runtime, "build_connector", {})).toMatchObject({
      code: "BAD_REQUEST",
      details: [{ field: "definition" }],
    });
    expect(await failTool(runtime, "build_connector", { openapi, slug: "http" })).toMatchObject({ code: "SLUG_TAKEN" });
    const definition = sampleManifest({ slug: "http" });
    expect(await failTool(runtime, "build_connector", { definition })).toMatchObject({ code: "SLUG_TAKEN" });
    expect(await callTool(runtime, "validate_connector", { definition })).toMatchObject({
      valid: false,
      errors: [{ code: "slug_taken" }],
    });
    expect((await build(runtime, { openapi, slug: "trains" })).operations).toHaveLength(7);
    expect(await build(runtime, { openapi: JSON.parse(openapi) as Data, slug: "trains" })).toMatchObject({
      status: "succeeded",
    });
    const listed = await callTool<ConnectorOperations>(runtime, "get_connector_operations", {
      connector_id: "trains",
      kind: "action",
    });
    expect(listed.operations[0]).toMatchObject({
      operation_id: "get-stations",
      kind: "action",
      name: "Get a list of train stations",
    });
    expect(
      await callTool(runtime, "get_connector_operations", { connector_id: "trains", kind: "trigger" }),
    ).toMatchObject({ operations: [] });
    expect(await failTool(runtime, "get_connector_operations", { connector_id: "trians" })).toMatchObject({
      code: "CONNECTOR_NOT_FOUND",
      error: expect.stringContaining("did you mean trains?"),
    });
    const operation = { connector_id: "trains", operation_id: "get-station" };
    expect(await failTool(runtime, "get_operation_schema", operation)).toMatchObject({
      code: "OPERATION_NOT_FOUND",
      error: expect.stringContaining("did you mean get-stations?"),
    });
    expect(await failTool(runtime, "get_build_status", { build_id: "none" })).toMatchObject({
      code: "BUILD_NOT_FOUND",
    });
  });

  it("by its id in whatever case, as runs and workflows are", async () => {
    const runtime = await testRuntime();
    const built = await build(runtime, { definition: sampleManifest() });
    const build_id = built.build_id.toUpperCase();
    expect(await callTool(runtime, "get_build_status", { build_id })).toEqual(built);
  });

  it("for its own workspace alone", async () => {
    const runtime = await testRuntime();
    const { build_id } = await build(runtime, { definition: sampleManifest() });
    await runtime.control("POST", "/control/workspaces", { name: "other", tier: "pro" });
    const minted = await runtime.control<{ secret: string }>(
      "POST",
      "/control/keys",
      { name: "k", scopes: ["connectors:read"] },
      { "x-stepgate-workspace": "other" },
    );
    const key = minted.body.secret;
    expect(await failTool(runtime, "get_build_status", { build_id }, { key })).toMatchObject({
      code: "BUILD_NOT_FOUND",
    });
    expect(await failTool(runtime, "get_connector_operations", { connector_id: "desk" }, { key })).toMatchObject({
      code: "CONNECTOR_NOT_FOUND",
    });
    expect(await callTool(runtime, "list_connectors", { query: "desk" }, { key })).toEqual({ connectors: [] });
    expect(await failTool(runtime, "build_connector", { definition: sampleManifest() }, { key })).toMatchObject({
      code: "FORBIDDEN",
    });
  });
});

describe("publishing", () => {
  it("checks connector nodes against built connectors", async () => {
    const runtime = await testRuntime();
    await build(runtime, { definition: sampleManifest({ operations: [get] }) });
    const problems = async (data: string) => {
      const files = [{ file: "a.yaml", text: workflow(data) }];
      const { body } = await runtime.control<{ failed: { issues: { path: string; message: string }[] }[] }>(
        "POST",
        "/control/publish",
        { files, check: true },
      );
      return body.failed.flatMap(({ issues }) => issues.map(({ path, message }) => `${path} ${message}`));
    };
    expect(await problems('{ connector: desk, operation: get_thing, input: { id: "{{action_input.id}}" } }')).toEqual(
      [],
    );
    expect(await problems("{ connector: dsk, operation: get_thing, input: { id: a } }")).toEqual([
      expect.stringMatching(/^\/nodes\/1\/data\/connector .*did you mean desk\?/),
    ]);
    expect(await problems("{ connector: desk, operation: get_thin, input: { id: a } }")).toEqual([
      expect.stringMatching(/^\/nodes\/1\/data\/operation .*did you mean get_thing\?/),
    ]);
    expect(await problems("{ connector: desk, operation: get_thing, input: { n: many } }")).toEqual([
      expect.stringMatching(/\/nodes\/1\/data\/input.* is required/),
      expect.stringMatching(/\/nodes\/1\/data\/input\/n /),
    ]);
  });
});

describe("credentials", () => {
  it("stay at home when a build changes the host, until a person confirms", async () => {
    const [first, second] = [await HttpService.start(), await HttpService.start()];
    const allow = [first.place, second.place];
    const runtime = await testRuntime({ outside: { egress: { allow, allowPrivateNetworks: false } } });
    const definition = sampleManifest({ ...keyed, baseUrl: first.url });
    await build(runtime, { definition });
    await runtime.control("POST", "/control/connections", {
      connector: "desk",
      name: "mine",
      secrets: { api_key: "s3cr3t-key" },
    });
    await runtime.publish(
      workflow('{ connector: desk, operation: get_thing, connectionId: mine, input: { id: "{{action_input.id}}" } }'),
    );
    expect((await build(runtime, { definition: { ...definition, version: "2" } })).warnings).toEqual([]);
    expect((await runtime.runToEnd("fetch", { id: "a" })).status).toBe("succeeded");

    const moved = await build(runtime, { definition: { ...definition, baseUrl: second.url } });
    expect(moved.warnings[0]?.message).toMatch(/^The connection mine was detached.*update mine --attach/);
    expect(await runtime.runToEnd("fetch", { id: "a" })).toMatchObject({ status: "failed" });
    expect((await runtime.control("GET", "/control/connections/mine")).body).toMatchObject({ status: "detached" });
    expect(second.connections).toBe(0);
    await runtime.control("POST", "/control/connections/mine/update", { attach: true });
    expect((await runtime.runToEnd("fetch", { id: "a" })).status).toBe("succeeded");
    expect(second.requests).toHaveLength(1);

    expect(await runtime.control("POST", "/control/connectors/desk/remove")).toMatchObject({ status: 409 });
    await runtime.control("POST", "/control/connections/mine/remove");
    expect(await runtime.control("POST", "/control/connectors/desk/remove")).toMatchObject({ status: 200 });
    expect(await runtime.control("POST", "/control/connectors/desk/remove")).toMatchObject({ status: 404 });
    expect(await runtime.control("POST", "/control/connectors/http/remove")).toMatchObject({ status: 400 });
  });
});

describe("a build", () => {
  it("that was queued or running when the daemon ended runs at the next start, and is given up when it ends it again", async () => {
    const runtime = await testRuntime();
    const started = await callTool<ConnectorBuild>(runtime, "build_connector", { definition: sampleManifest() });
    await runtime.restart();
    expect(await ended(runtime, started.build_id)).toMatchObject({ status: "succeeded", connector_id: "desk" });
    const bytes = new TextEncoder().encode("{}");
    const source = { request: JSON.stringify({ kind: "file", slug: null, fallbackSlug: null }), bytes };
    const id = "0199aaaa-0000-7000-8000-000000000001";
    await runtime.store.createBuild({ id, workspaceId: 1, slug: null, source, at: 1 });
    for (let crash = 0; crash < 3; crash += 1) await runtime.store.startBuild({ id });
    await runtime.restart();
    const given = await ended(runtime, id);
    expect([given.status, given.errors[0]?.message]).toEqual([
      "failed",
      "The daemon ended 3 times while it built this",
    ]);
  });
});
