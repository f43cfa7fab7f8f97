import * as z from "zod";
import { approvalPolicy, slug } from "./action.ts";
import { jsonObject } from "./json.ts";

/** The 15 system nodes in picker order (spec 2.10). */
const systemNodeTypes = [
  "condition",
  "switch",
  "loop",
  "merge",
  "wait",
  "stop_and_error",
  "set",
  "filter",
  "aggregate",
  "split_out",
  "code",
  "llm",
  "rag_retrieve",
  "noop",
  "respond_to_webhook",
] as const;

export const nodeTypes = ["action_input", "return_output", "trigger", "connector", ...systemNodeTypes] as const;
export type NodeTypeName = (typeof nodeTypes)[number];

const nodeIdPattern = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const nodeId = z.string().regex(nodeIdPattern, "must be 1 to 64 letters, digits, _ and -, starting with a letter or _");

/** A name in a Set key or a declared property (spec 2.10, contract 2). */
export const keyName = z
  .string()
  .regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, "must be letters, digits and _, starting with a letter or _");

/** A node's config (`data`) is checked by its node type, not here: saving checks shape alone (contract 2). */
export const workflowNode = z.object({
  id: nodeId,
  type: z.string(),
  label: z.string().optional(),
  name: z.string().optional(),
  data: jsonObject.default({}),
});
export type WorkflowNode = z.infer<typeof workflowNode>;

export const workflowEdge = z.object({
  id: z.string().min(1),
  source: z.string(),
  target: z.string(),
  sourceHandle: z.string().default("default"),
  targetHandle: z.string().default("default"),
});
export type WorkflowEdge = z.infer<typeof workflowEdge>;

/** The canonical definition, stored and returned everywhere (contract 2). */
export const workflowDefinition = z.object({
  name: z.string().min(1).max(200),
  slug: slug.optional(),
  description: z.string().optional(),
  approval_policy: approvalPolicy.default("never"),
  concurrency: z.int().positive().optional(),
  on_failure: slug.optional(),
  nodes: z.array(workflowNode),
  edges: z.array(workflowEdge),
});
export type WorkflowDefinition = z.infer<typeof workflowDefinition>;

export const workflowType = z.enum(["callable", "event_driven"]);
export type WorkflowType = z.infer<typeof workflowType>;

export const propertyTypes = ["string", "number", "integer", "boolean", "object", "array"] as const;

/** One problem of a definition: where it is and how to mend it (contract 2, 18). */
export const issue = z.object({
  severity: z.enum(["error", "warning"]),
  code: z.string(),
  message: z.string(),
  node_id: z.string().optional(),
  edge_id: z.string().optional(),
  path: z.string().meta({ description: "JSON pointer into the definition" }),
  line: z.int().nullable(),
  column: z.int().nullable(),
});
export type Issue = z.infer<typeof issue>;
