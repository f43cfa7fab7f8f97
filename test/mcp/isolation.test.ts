import { describe, expect, it, vi } from "vitest";
import type { MintedKey } from "../../src/contract/key.ts";
import { type Scope, scopes } from "../../src/contract/scopes.ts";
import { toolOperations } from "../../src/daemon/operations/index.ts";
import { type ToolResult, callTool, failTool, resultOf } from "../support/mcp.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { create, echo } from "../support/workflow-tools.ts";
import { greet } from "../support/workflows.ts";

/** Every tool with the scope that the specification or its supplement gives it: the table is held to this. */
const specified: Readonly<Record<string, Scope>> = {
  list_actions: "actions:read",
  get_action: "actions:read",
  run_action: "actions:run",
  get_run_status: "runs:read",
  list_runs: "runs:read",
  get_run_events: "runs:read",
  cancel_run: "actions:run",
  replay_run: "runs:read",
  approve_run: "approvals:decide",
  list_connectors: "connectors:read",
  get_connector_operations: "connectors:read",
  get_operation_schema: "connectors:read",
  build_connector: "connectors:write",
  get_build_status: "connectors:read",
  validate_connector: "connectors:write",
  list_workflows: "workflows:read",
  get_workflow: "workflows:read",
  open_workflow: "workflows:read",
  create_workflow: "workflows:write",
  update_workflow: "workflows:write",
  delete_workflow: "workflows:write",
  deploy_workflow: "workflows:write",
};

const tools = toolOperations.flatMap(({ tool, scope }) => (tool ? [[tool.name, scope] as const] : []));

describe("scopes of tools", () => {
  it("are those that were specified, for these tools and no others", () => {
    expect(Object.fromEntries(tools)).toEqual(specified);
  });

  it.each(scopes)(
    "a key with %s alone is refused exactly by the tools of other scopes, and not shown them",
    async (scope) => {
      const runtime = await testRuntime({ scopes: [scope] });
      const { tools: shown } = await resultOf<{ tools: { name: string }[] }>(runtime, "tools/list");
      const allowed = tools.filter(([, asked]) => asked === scope).map(([name]) => name);
      expect(shown.map(({ name }) => name)).toEqual(allowed);
      for (const [name, asked] of tools) {
        const { content } = await resultOf<ToolResult<unknown>>(runtime, "tools/call", { name, arguments: { no: 1 } });
        const code = (JSON.parse(content[0].text) as { code?: string }).code;
        expect([name, code === "FORBIDDEN"]).toEqual([name, asked !== scope]);
      }
    },
  );
});

const manifest = {
  slug: "shop",
  name: "Shop",
  version: "1.0.0",
  auth: { type: "none" },
  baseUrl: "https://shop.example",
  operations: [
    { key: "list", name: "List", description: "Lists", method: "GET", path: "/", inputSchema: { type: "object" } },
  ],
};

type Ids = Record<"slug" | "run_id" | "workflow_id" | "connector_id" | "build_id", string>;

/** What another workspace has, whatever can be named by an id. */
async function fill(runtime: TestRuntime): Promise<Ids> {
  await runtime.publish(greet);
  const run = await runtime.runToEnd("greet", { name: "Ada" });
  const workflow_id = await create(runtime);
  const { build_id } = await callTool<{ build_id: string }>(runtime, "build_connector", { definition: manifest });
  await vi.waitFor(
    async () => {
      expect(await callTool(runtime, "get_build_status", { build_id })).toMatchObject({ status: "succeeded" });
    },
    { timeout: 20_000 },
  );
  return { slug: "greet", run_id: run.run_id, workflow_id, connector_id: "shop", build_id };
}

const unknown: Ids = {
  slug: "nobody",
  run_id: "01980000-0000-7000-8000-000000000000",
  workflow_id: "01980000-0000-7000-8000-000000000000",
  connector_id: "nowhere",
  build_id: "01980000-0000-7000-8000-000000000000",
};

/** How each tool that takes an id is called with one. */
const calls: [name: string, argumentsOf: (ids: Ids) => object][] = [
  ["get_action", ({ slug }) => ({ slug })],
  ["run_action", ({ slug }) => ({ slug, input: { name: "Ada" } })],
  ["get_run_status", ({ run_id }) => ({ run_id })],
  ["approve_run", ({ run_id }) => ({ run_id, decision: "approved" })],
  ["get_run_events", ({ run_id }) => ({ run_id })],
  ["cancel_run", ({ run_id }) => ({ run_id })],
  ["replay_run", ({ run_id }) => ({ run_id })],
  ["get_connector_operations", ({ connector_id }) => ({ connector_id })],
  ["get_operation_schema", ({ connector_id }) => ({ connector_id, operation_id: "list" })],
  ["get_build_status", ({ build_id }) => ({ build_id })],
  ["get_workflow", ({ workflow_id }) => ({ workflow_id })],
  ["open_workflow", ({ workflow_id }) => ({ workflow_id })],
  ["update_workflow", ({ workflow_id }) => ({ workflow_id, definition: echo })],
  ["delete_workflow", ({ workflow_id }) => ({ workflow_id })],
  ["deploy_workflow", ({ workflow_id }) => ({ workflow_id, slug: "taken" })],
];

it("these are all the tools that take an id", () => {
  const names = new Set<string>(Object.keys(unknown));
  const taking = toolOperations.filter(({ tool, inputSchema }) => {
    const { properties = {} } = inputSchema as { properties?: object };
    return tool && tool.name !== "build_connector" && Object.keys(properties).some((name) => names.has(name));
  });
  const found = taking.map(({ tool }) => tool?.name);
  // A slug in them is a new one's, or one that filters a list.
  const others = new Set(["list_runs", "validate_connector"]);
  expect(new Set(found.filter((name) => !others.has(name ?? "")))).toEqual(new Set(calls.map(([name]) => name)));
});

it("an id of another workspace is answered as one that there is not, by every tool", { timeout: 30_000 }, async () => {
  const runtime = await testRuntime();
  const theirs = await fill(runtime);
  await runtime.control("POST", "/control/workspaces", { name: "team", tier: "business" });
  const inTeam = { "x-stepgate-workspace": "team" };
  const { body: key } = await runtime.control<MintedKey>("POST", "/control/keys", { name: "own", scopes }, inTeam);
  const refuse = async (name: string, ids: Ids, args: object) => {
    const error = JSON.stringify(await failTool(runtime, name, args, { key: key.secret }));
    // The id that was asked for is the caller's own word.
    return Object.values(ids).reduce((text, id) => text.replaceAll(id, "ID"), error);
  };
  for (const [name, argumentsOf] of calls) {
    const foreign = await refuse(name, theirs, argumentsOf(theirs));
    expect([name, foreign]).toEqual([name, await refuse(name, unknown, argumentsOf(unknown))]);
    expect(foreign).toContain("NOT_FOUND");
  }
  for (const name of ["list_actions", "list_runs", "list_workflows"]) {
    expect(JSON.stringify(await callTool(runtime, name, {}, { key: key.secret }))).toContain('"total":0');
  }
  // The owner is told otherwise, so that the calls were the right ones. What changes something comes last.
  for (const [name, argumentsOf] of calls) {
    const result = await resultOf<ToolResult<unknown>>(runtime, "tools/call", { name, arguments: argumentsOf(theirs) });
    expect([name, result.content[0].text]).not.toEqual([name, expect.stringContaining("NOT_FOUND")]);
    if (name === "delete_workflow") break;
  }
});
