import type { ConnectionList } from "../../contract/connection.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { statusCell } from "../connection.ts";
import { printListing } from "../print.ts";

export const connectionsList = defineCommand({
  name: "list",
  summary: "list connections, without their credentials",
  examples: ["connections list", "connections list --json"],
  async action({ control, output }) {
    const client = await control();
    const list = await client.get<ConnectionList>("/control/connections");
    await printListing(output, {
      json: list,
      rows: list.connections,
      id: (connection) => connection.id,
      columns: ["NAME", "CONNECTOR", "STATUS", "APPROVAL", "CREATED", "LAST USED", "ID"],
      cells: (connection) => [
        textCell(connection.name),
        textCell(connection.connector),
        statusCell(connection),
        textCell(connection.require_approval ? "every call" : ""),
        timeCell(connection.created_at, output.now),
        timeCell(connection.last_used_at, output.now),
        textCell(connection.id),
      ],
      empty: "No connections. Make one with: stepgate connections add CONNECTOR --name NAME",
    });
  },
});
