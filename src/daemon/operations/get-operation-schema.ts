import * as z from "zod";
import { operationSchema } from "../../contract/connector-api.ts";
import { ApiError } from "../../contract/errors.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import { defineToolOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";
import { connectorId, requireConnector } from "./require-connector.ts";

export const getOperationSchema = defineToolOperation({
  name: "getOperationSchema",
  tool: {
    name: "get_operation_schema",
    description:
      "Tells what an operation of a connector takes and gives, as JSON Schemas, and what its connections need. Use it " +
      "before you write the input of a connector node. get_connector_operations gives the operation_id.",
    hints: readsOnly,
  },
  title: "Read an operation's schemas",
  scope: "connectors:read",
  input: z.object({ connector_id: connectorId, operation_id: z.string().describe("The operation's key, or an event") }),
  output: operationSchema,
  async handle({ services, caller }, { connector_id: slug, operation_id: id }) {
    const { auth, operations, triggers } = await requireConnector(services, caller.workspaceId, slug);
    const operation = operations.find(({ key }) => key === id);
    const trigger = triggers.find(({ event }) => event === id);
    const found = operation ?? trigger;
    if (!found) {
      const known = [...operations.map(({ key }) => key), ...triggers.map(({ event }) => event)];
      const message = `${slug} has no operation ${id.slice(0, 130)}${didYouMean(id, known)}`;
      throw new ApiError("OPERATION_NOT_FOUND", message);
    }
    return {
      connector_id: slug,
      operation_id: id,
      inputSchema: "inputSchema" in found ? found.inputSchema : found.paramsSchema,
      outputSchema: found.outputSchema,
      auth: {
        type: auth.type,
        required: !auth.optional && auth.type !== "none",
        fields: auth.fields.map(({ name, label, secret, required }) => ({ name, label, secret, required })),
      },
    };
  },
});
