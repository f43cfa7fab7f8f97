import type { IncidentList } from "../../contract/approval.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { value, wholeNumber } from "../option.ts";
import { printListing } from "../print.ts";

export const incidentsList = defineCommand({
  name: "list",
  summary: "list the failures of workflows, each from the first up to the next success, the newest first",
  options: { limit: value("N", "how many (50)", { parse: wholeNumber(1, 1000) }) },
  examples: ["incidents list", "incidents list --json"],
  async action({ control, output }, { limit }) {
    const client = await control();
    const list = await client.get<IncidentList>("/control/incidents", { limit });
    await printListing(output, {
      json: list,
      rows: list.incidents,
      id: (incident) => incident.id,
      columns: ["WORKFLOW", "ACTION", "STATUS", "RUNS", "OPENED", "CLOSED", "ID"],
      cells: (incident) => [
        textCell(incident.workflow_name, "bold"),
        textCell(incident.action_slug),
        textCell(incident.status, incident.status === "open" ? "red" : "green"),
        textCell(incident.runs),
        timeCell(incident.opened_at, output.now),
        timeCell(incident.closed_at, output.now),
        textCell(incident.id),
      ],
      empty: "No incidents.",
    });
  },
});
