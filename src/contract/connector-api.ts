import * as z from "zod";
import { jsonObject } from "./json.ts";
import { buildIssue } from "./manifest.ts";

/** What callers read of connectors (contract 13). */

export const operationKind = z.enum(["action", "trigger"]);

const connectorSummary = z.object({
  connector_id: z.string().describe("The connector's slug"),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  status: z.enum(["bundled", "built"]),
  operation_count: z.int(),
  trigger_count: z.int(),
});

export const connectorList = z.object({ connectors: z.array(connectorSummary) });
export type ConnectorList = z.infer<typeof connectorList>;

export const connectorOperations = z.object({
  connector_id: z.string(),
  operations: z.array(
    z.object({ operation_id: z.string(), kind: operationKind, name: z.string(), description: z.string() }),
  ),
});
export type ConnectorOperations = z.infer<typeof connectorOperations>;

export const operationSchema = z.object({
  connector_id: z.string(),
  operation_id: z.string(),
  inputSchema: jsonObject.describe("Of an operation's input, or of a trigger's params"),
  outputSchema: jsonObject.nullable(),
  auth: z.object({
    type: z.string(),
    required: z.boolean().describe("Whether it needs a connection"),
    fields: z.array(z.object({ name: z.string(), label: z.string(), secret: z.boolean(), required: z.boolean() })),
  }),
});
export type OperationSchemaBody = z.infer<typeof operationSchema>;

const problem = buildIssue.omit({ severity: true });

export const connectorBuild = z.object({
  build_id: z.uuid(),
  connector_id: z.string().nullable().describe("null until a manifest that names its slug itself has been read"),
  status: z.enum(["queued", "running", "succeeded", "failed"]),
  errors: z.array(problem),
  warnings: z.array(problem),
  operations: z.array(z.object({ operation_id: z.string(), kind: operationKind, name: z.string() })),
  created_at: z.iso.datetime(),
  completed_at: z.iso.datetime().nullable(),
});
export type ConnectorBuild = z.infer<typeof connectorBuild>;

export const connectorCheck = z.object({
  valid: z.boolean(),
  errors: z.array(problem),
  warnings: z.array(problem),
});
export type ConnectorCheck = z.infer<typeof connectorCheck>;

export const removedConnector = z.object({ connector_id: z.string(), removed: z.literal(true) });
export type RemovedConnector = z.infer<typeof removedConnector>;
