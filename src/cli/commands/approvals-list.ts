import type { ApprovalList } from "../../contract/approval.ts";
import { defineCommand } from "../command.ts";
import { flag, wholeNumber, value } from "../option.ts";
import { approvalCells, approvalColumns } from "../print-approvals.ts";
import { printListing } from "../print.ts";

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
      columns: approvalColumns,
      cells: (approval) => approvalCells(output, approval),
      empty: "Nothing waits for a decision.",
    });
  },
});
