import type { AuditList } from "../../contract/approval.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { value, wholeNumber } from "../option.ts";
import { printListing } from "../print.ts";

export const auditList = defineCommand({
  name: "list",
  summary: "list the audit log, the newest first",
  options: { limit: value("N", "how many (50)", { parse: wholeNumber(1, 1000) }) },
  examples: ["audit list", "audit list --limit 200 --json"],
  async action({ control, output }, { limit }) {
    const client = await control();
    const list = await client.get<AuditList>("/control/audit", { limit });
    await printListing(output, {
      json: list,
      rows: list.entries,
      id: (entry) => entry.id,
      columns: ["WHEN", "EVENT", "DECISION", "BY", "VIA", "RUN", "COMMENT"],
      cells: (entry) => [
        timeCell(entry.created_at, output.now),
        textCell(entry.event, "bold"),
        textCell(entry.decision),
        textCell(entry.user_id),
        textCell(entry.decided_via),
        textCell(entry.run_id),
        textCell(entry.comment),
      ],
      empty: "No entries.",
    });
  },
});
