import { expect, it } from "vitest";
import type { ConnectorBuild } from "../../src/contract/connector-api.ts";
import { defaultOutside } from "../../src/contract/outside.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import type { Scope } from "../../src/contract/scopes.ts";
import type { DeployedWorkflowBody, SavedWorkflow } from "../../src/contract/workflow-api.ts";
import { HttpService, json, until } from "../support/http-service.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { agentOf } from "../support/mcp-agent.ts";
import { type Data, edge, input, node } from "../support/workflow-tools.ts";

const building: Scope[] = [
  "actions:read",
  "actions:run",
  "runs:read",
  "connectors:read",
  "connectors:write",
  "workflows:read",
  "workflows:write",
];

/** A manifest of the stand-in: one operation that reads, and one that pays money back. */
function manifest(baseUrl: string): Data {
  const inputSchema = { type: "object", required: ["order_id"], properties: { order_id: { type: "string" } } };
  const outputSchema = { type: "object", properties: { amount: { type: "number" }, state: { type: "string" } } };
  return {
    slug: "shop",
    name: "Shop",
    version: "1.0.0",
    baseUrl,
    operations: [
      {
        key: "get_order",
        name: "Get an order",
        method: "GET",
        path: "/orders/{{input.order_id}}",
        inputSchema,
        outputSchema,
      },
      {
        key: "refund",
        name: "Refund",
        method: "POST",
        path: "/orders/{{input.order_id}}/refund",
        inputSchema,
        outputSchema,
      },
    ],
  };
}

function definition(operation: string): Data {
  const call = (id: string, key: string, extra: Data = {}) =>
    node(id, "connector", {
      connector: "shop",
      operation: key,
      input: { order_id: "{{action_input.order_id}}" },
      ...extra,
    });
  const result = { name: "text", type: "string", value: "{{refund.state}}: {{order.amount}}" };
  return {
    nodes: [
      input({ name: "order_id", type: "string", required: true }),
      call("order", "get_order"),
      call("refund", operation, { requireApproval: true }),
      node("done", "return_output", { properties: [result] }),
    ],
    edges: [edge("action_input", "order"), edge("order", "refund"), edge("refund", "done")],
  };
}

it("an agent builds a connector and a workflow, runs it, is approved by another key, and reads the output", async () => {
  const shop = await HttpService.start((request, response, socket) =>
    request.method === "POST"
      ? json(200, { state: "refunded" })(request, response, socket)
      : json(200, { amount: 12.5 })(request, response, socket),
  );
  const egress = { allow: [shop.place], allowPrivateNetworks: false };
  const daemon = await liveDaemon({ outside: { ...defaultOutside, egress } });
  const agent = agentOf(daemon, await daemon.mintKey(building));
  const approver = agentOf(daemon, await daemon.mintKey(["runs:read", "approvals:decide"]));

  const { build_id: buildId } = await agent.call<ConnectorBuild>("build_connector", { definition: manifest(shop.url) });
  const build = () => agent.call<ConnectorBuild>("get_build_status", { build_id: buildId });
  await until(async () => (await build()).completed_at !== null);
  expect(await build()).toMatchObject({ status: "succeeded", errors: [] });
  expect(await agent.call("get_connector_operations", { connector_id: "shop" })).toMatchObject({
    operations: [{ operation_id: "get_order" }, { operation_id: "refund" }],
  });
  const operation = { connector_id: "shop", operation_id: "refund" };
  expect(await agent.call("get_operation_schema", operation)).toMatchObject({
    inputSchema: { required: ["order_id"] },
  });

  const draft = { name: "Refund", description: "Pays an order back." };
  const wrong = { ...draft, definition: definition("refnd"), validate_only: true };
  const { errors } = await agent.call<SavedWorkflow>("create_workflow", wrong);
  expect(errors).toMatchObject([
    { path: "/nodes/2/data/operation", node_id: "refund", message: expect.stringContaining("did you mean refund?") },
  ]);
  const created = { ...draft, definition: definition("refund") };
  const { workflow_id: id, ...saved } = await agent.call<SavedWorkflow>("create_workflow", created);
  expect(saved).toMatchObject({ valid: true, errors: [] });
  const deployed = await agent.call<DeployedWorkflowBody>("deploy_workflow", { workflow_id: id, slug: "refund" });
  expect(deployed).toMatchObject({ action_slug: "refund", inputSchema: { required: ["order_id"] } });

  const run = { slug: "refund", input: { order_id: "o/7" }, wait_seconds: 30 };
  const waiting = await agent.call<RunDetail>("run_action", run);
  expect(waiting).toMatchObject({
    status: "waiting_for_approval",
    approval: { inputs: { operation: "refund", input: { order_id: "o/7" } } },
  });
  expect(shop.requests.map(({ method }) => method)).toEqual(["GET"]);
  const decision = { run_id: waiting.run_id, decision: "approved", approval_id: waiting.approval?.id };
  expect(await agent.fail("approve_run", decision)).toMatchObject({ code: "FORBIDDEN" });
  const seen = await approver.call<RunDetail>("get_run_status", { run_id: waiting.run_id });
  expect(seen.approval?.id).toBe(waiting.approval?.id);
  await approver.call("approve_run", decision);
  await agent.call("get_run_status", { run_id: waiting.run_id, wait_seconds: 30 });
  const over = await agent.call<RunDetail>("get_run_status", { run_id: waiting.run_id, wait_seconds: 30 });
  expect(over).toMatchObject({ status: "succeeded", output: { text: "refunded: 12.5" } });
  expect(shop.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET /orders/o%2F7",
    "POST /orders/o%2F7/refund",
  ]);
});
