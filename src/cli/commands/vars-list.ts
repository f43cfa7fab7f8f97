import type { VariableList } from "../../contract/named-value.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { printListing } from "../print.ts";

export const varsList = defineCommand({
  name: "list",
  summary: "list variables and their values",
  examples: ["vars list", "vars list --json"],
  async action({ control, output }) {
    const client = await control();
    const list = await client.get<VariableList>("/control/vars");
    await printListing(output, {
      json: list,
      rows: list.vars,
      id: (variable) => variable.name,
      columns: ["NAME", "UPDATED", "VALUE"],
      cells: (variable) => [
        textCell(variable.name),
        timeCell(variable.updated_at, output.now),
        textCell(variable.value),
      ],
      empty: "No variables. Set one with: stepgate vars set NAME VALUE",
    });
  },
});
