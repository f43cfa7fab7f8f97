import type { Scope } from "../../src/contract/scopes.ts";
import type { DeployedWorkflowBody, SavedWorkflow, WorkflowDetail } from "../../src/contract/workflow-api.ts";
import { callTool } from "./mcp.ts";
import type { TestRuntime } from "./runtime.ts";

export type Data = Record<string, unknown>;

export const node = (id: string, type: string, data: Data = {}) => ({ id, type, data });
export const edge = (source: string, target: string, sourceHandle = "default") => ({ source, target, sourceHandle });
export const input = (...properties: Data[]) => node("action_input", "action_input", { properties });
export const amount = { name: "amount", type: "number", required: true };
export const done = (value: string) =>
  node("done", "return_output", { properties: [{ name: "text", type: "string", value }] });

/** One gated step between input and output. */
export function paying(gate: Data = { requireApproval: true }, properties: Data[] = [amount]) {
  return {
    nodes: [input(...properties), node("pay", "noop", gate), done("paid")],
    edges: [edge("action_input", "pay"), edge("pay", "done")],
  };
}

export const echo = { nodes: [input(amount), done("{{action_input.amount}}")], edges: [edge("action_input", "done")] };
export const hooked = { nodes: [node("trigger", "trigger", { kind: "webhook", secret: "s3cr3t-text" })], edges: [] };

/** Creates a draft and gives its id. */
export async function create(runtime: TestRuntime, definition: Data = echo, extra: Data = {}): Promise<string> {
  const saved = await callTool<SavedWorkflow>(runtime, "create_workflow", { name: "Pay", definition, ...extra });
  if (saved.workflow_id === null) throw new Error("Nothing was created");
  return saved.workflow_id;
}

/** Deploys a draft. */
export async function deploy(runtime: TestRuntime, id: string, extra: Data = {}, key = runtime.secret) {
  return callTool<DeployedWorkflowBody>(runtime, "deploy_workflow", { workflow_id: id, ...extra }, { key });
}

/** Reads a workflow with its definition. */
export async function read(runtime: TestRuntime, id: string, extra: Data = {}): Promise<WorkflowDetail> {
  return callTool<WorkflowDetail>(runtime, "get_workflow", { workflow_id: id, ...extra });
}

/** The secret of a new key with these scopes. */
export async function keyFor(runtime: TestRuntime, ...scopes: Scope[]): Promise<string> {
  return (await runtime.mintKey(scopes)).secret;
}
