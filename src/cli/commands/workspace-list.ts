import type { WorkspaceList } from "../../contract/workspace.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { printListing } from "../print.ts";

export const workspaceList = defineCommand({
  name: "list",
  summary: "list the workspaces of this daemon",
  examples: ["workspace list", "workspace list --json"],
  async action({ control, output }) {
    const client = await control();
    const list = await client.get<WorkspaceList>("/control/workspaces");
    await printListing(output, {
      json: list,
      rows: list.workspaces,
      id: (workspace) => workspace.name,
      columns: ["NAME", "TIER", "CREATED", "ID"],
      cells: (workspace) => [
        textCell(workspace.name, "bold"),
        textCell(workspace.tier),
        timeCell(workspace.created_at, output.now),
        textCell(workspace.id),
      ],
      empty: "No workspaces.",
    });
  },
});
