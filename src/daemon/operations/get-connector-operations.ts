import * as z from "zod";
import { connectorOperations, operationKind } from "../../contract/connector-api.ts";
import { defineToolOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";
import { connectorId, requireConnector } from "./require-connector.ts";

/** Characters of a description in a list, which may be of a thousand operations. */
const maxDescription = 200;

export const getConnectorOperations = defineToolOperation({
  name: "getConnectorOperations",
  tool: {
    name: "get_connector_operations",
    description:
      "Lists what a connector can do: actions, which a connector node {connector, operation, connectionId, input} calls, " +
      "and triggers, whose events start workflows. list_connectors gives the connector_id; get_operation_schema tells " +
      "what one operation takes.",
    hints: readsOnly,
  },
  title: "List a connector's operations",
  scope: "connectors:read",
  input: z.object({ connector_id: connectorId, kind: operationKind.optional() }),
  output: connectorOperations,
  async handle({ services, caller }, { connector_id: slug, kind }) {
    const { operations, triggers } = await requireConnector(services, caller.workspaceId, slug);
    const present = (id: string, own: "action" | "trigger", { name, description }: Named) => {
      const isLong = description.length > maxDescription;
      const told = isLong ? `${description.slice(0, maxDescription - 1)}…` : description;
      return { operation_id: id, kind: own, name, description: told };
    };
    const all = [
      ...operations.map((operation) => present(operation.key, "action", operation)),
      ...triggers.map((trigger) => present(trigger.event, "trigger", trigger)),
    ];
    return { connector_id: slug, operations: kind ? all.filter((one) => one.kind === kind) : all };
  },
});

type Named = { name: string; description: string };
