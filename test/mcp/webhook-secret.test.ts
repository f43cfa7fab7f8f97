import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SavedWorkflow, WorkflowDetail } from "../../src/contract/workflow-api.ts";
import { webhookSecretsOf } from "../../src/engine/webhook-secrets.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { agentOf } from "../support/mcp-agent.ts";
import { callTool } from "../support/mcp.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { type Data, create, edge, node, read } from "../support/workflow-tools.ts";

const hook = (secrets: Data) => ({
  nodes: [node("trigger", "trigger", { kind: "webhook", ...secrets }), node("a", "noop")],
  edges: [edge("trigger", "a")],
});

/** What a draft's webhook would be checked with, after a restart too. */
async function draftSecrets(runtime: TestRuntime, id: string): Promise<unknown> {
  await runtime.restart();
  return runtime.runtime.services.values.of(1).webhooks.get(id)?.get("draft");
}

it("an agent's literal secret is hidden from the next reading on, and kept as long as it comes back hidden", async () => {
  const runtime = await testRuntime();
  const id = await create(runtime, hook({ secret: "canary-one" }));
  const stored = async () => JSON.stringify(await runtime.store.findDraft(id));
  expect(await stored()).not.toContain("canary-one");
  const { definition } = await read(runtime, id);
  expect(definition.nodes[0]?.data["secret"]).toBe("[REDACTED]");
  const nodes = [...definition.nodes, node("b", "noop")];
  const saved = await callTool<SavedWorkflow>(runtime, "update_workflow", {
    workflow_id: id,
    definition: { ...definition, nodes, edges: [...definition.edges, edge("a", "b")] },
    expected_revision: 1,
  });
  expect(saved).toMatchObject({ revision: 2, valid: true });
  expect(await draftSecrets(runtime, id)).toEqual({ value: { "/nodes/trigger/secret": "canary-one" } });
  const change = { workflow_id: id, definition: hook({ secret: "canary-two" }) };
  expect(JSON.stringify(await callTool(runtime, "update_workflow", change))).not.toContain("canary");
  expect(await stored()).not.toContain("canary");
  expect(await draftSecrets(runtime, id)).toEqual({ value: { "/nodes/trigger/secret": "canary-two" } });
  // What nobody has published checks no request.
  expect(await webhookSecretsOf(runtime.runtime.services, 1, id)).not.toContain("canary-two");
});

it("a literal secret is in no file of the daemon's, whether it was saved or only checked", async () => {
  const daemon = await liveDaemon();
  const agent = agentOf(daemon, await daemon.mintKey());
  const definition = hook({ secrets: ["canary-new", "canary-old"] });
  const checked = await agent.call<SavedWorkflow>("create_workflow", { name: "H", definition, validate_only: true });
  const saved = await agent.call<SavedWorkflow>("create_workflow", { name: "H", definition });
  const opened = await agent.call("open_workflow", { workflow_id: saved.workflow_id });
  const shown = await agent.call<WorkflowDetail>("get_workflow", { workflow_id: saved.workflow_id });
  expect(shown.definition.nodes[0]?.data["secrets"]).toEqual(["[REDACTED]", "[REDACTED]"]);
  expect(JSON.stringify([checked, saved, opened, shown])).not.toContain("canary");
  const files = globSync("**/*", { cwd: daemon.folder }).map((file) => join(daemon.folder, file));
  const kept = files.filter((file) => statSync(file).isFile());
  expect(kept.some((file) => readFileSync(file).includes("[REDACTED]"))).toBe(true);
  expect(kept.filter((file) => readFileSync(file).includes("canary"))).toEqual([]);
});
