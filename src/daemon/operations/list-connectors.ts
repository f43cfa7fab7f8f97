import * as z from "zod";
import { connectorList } from "../../contract/connector-api.ts";
import { defineToolOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";

export const listConnectors = defineToolOperation({
  name: "listConnectors",
  tool: {
    name: "list_connectors",
    description:
      "Lists the connectors: services that connector nodes call and whose events start workflows. Bundled ones come with " +
      "Stepgate, built ones were made with build_connector. get_connector_operations tells what one can do.",
    hints: readsOnly,
  },
  title: "List connectors",
  scope: "connectors:read",
  input: z.object({ query: z.string().default("").describe("Text in the slug, the name or the description") }),
  output: connectorList,
  async handle({ services: { store, builds }, caller }, { query }) {
    const bundled = builds.bundled.map(({ slug, name, description, version, operations, triggers }) => ({
      connector_id: slug,
      name,
      description,
      version,
      status: "bundled" as const,
      operation_count: operations.length,
      trigger_count: triggers.length,
    }));
    const own = (await store.listConnectors(caller.workspaceId)).map(({ slug, ...one }) => ({
      connector_id: slug,
      name: one.name,
      description: one.description,
      version: one.version,
      status: "built" as const,
      operation_count: one.operations,
      trigger_count: one.triggers,
    }));
    const text = query.toLowerCase();
    const found = [...bundled, ...own].filter(({ connector_id, name, description }) =>
      [connector_id, name, description].some((one) => one.toLowerCase().includes(text)),
    );
    return { connectors: found.toSorted((a, b) => (a.connector_id < b.connector_id ? -1 : 1)) };
  },
});
