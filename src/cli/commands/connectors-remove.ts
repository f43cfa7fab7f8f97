import type { RemovedConnector } from "../../contract/connector-api.ts";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../context.ts";
import { argument } from "../option.ts";
import { printSheet } from "../print.ts";
import { safeText } from "../safe-text.ts";

export const connectorsRemove = defineCommand({
  name: "remove",
  summary: "remove a built connector that has no connections; steps that call it fail from then on",
  arguments: { connector: argument("slug of the connector") },
  examples: ["connectors remove crm", "connectors remove crm --yes"],
  async action(context, { connector }) {
    await confirm(context, `Remove the connector ${safeText(connector)}?`);
    const client = await context.control();
    const path = `/control/connectors/${encodeURIComponent(connector)}/remove`;
    const removed = await client.post<RemovedConnector>(path);
    await printSheet(context.output, {
      json: removed,
      id: removed.connector_id,
      fields: [["removed", textCell(removed.connector_id)]],
    });
  },
});
