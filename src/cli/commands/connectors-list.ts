import type { ConnectorList } from "../../contract/connector-api.ts";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { value } from "../option.ts";
import { printListing } from "../print.ts";

export const connectorsList = defineCommand({
  name: "list",
  summary: "list connectors, the bundled ones and those that were built",
  options: { query: value("TEXT", "text in the slug, the name or the description") },
  examples: ["connectors list", "connectors list --query crm --json"],
  async action({ control, output }, { query }) {
    const client = await control();
    const list = await client.get<ConnectorList>("/control/connectors", { query });
    await printListing(output, {
      json: list,
      rows: list.connectors,
      id: (connector) => connector.connector_id,
      columns: ["SLUG", "NAME", "VERSION", "STATUS", "OPERATIONS", "TRIGGERS"],
      cells: (connector) => [
        textCell(connector.connector_id, "bold"),
        textCell(connector.name),
        textCell(connector.version),
        textCell(connector.status, connector.status === "bundled" ? "dim" : "green"),
        textCell(connector.operation_count),
        textCell(connector.trigger_count),
      ],
      empty: "No connector fits.",
    });
  },
});
