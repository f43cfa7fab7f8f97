import type { ApprovalList } from "../../contract/approval.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { flag, wholeNumber, value } from "../option.ts";
import { printListing } from "../print.ts";
import { safeJson } from "../safe-text.ts";

export const approvalsList = defineCommand({
  name: "list",
  summary: "list what waits for a decision, the newest first",
  options: {
    all: flag("also what was decided or expired"),
    limit: value("N", "how many (50)", { parse: wholeNumber(1, 1000) }),
  },
  examples: ["approvals list", "approvals list --all --json"],
  async action({ control, output }, { all, limit }) {
    const client = await control();
    const list = await client.get<ApprovalList>("/control/approvals", { status: all ? undefined : "pending", limit });
    await printListing(output, {
      json: list,
      rows: list.approvals,
      id: (approval) => approval.id,
      columns: ["RUN", "ACTION", "STEP", "STATUS", "EXPIRES", "DESCRIPTION", "INPUTS"],
      cells: (approval) => [
        textCell(approval.run_id),
        textCell(approval.action_slug, "bold"),
        textCell(approval.step_id),
        textCell(approval.status),
        timeCell(approval.expires_at, output.now),
        textCell(approval.description),
        textCell(safeJson(approval.inputs)),
      ],
      empty: "Nothing waits for a decision.",
    });
  },
});
