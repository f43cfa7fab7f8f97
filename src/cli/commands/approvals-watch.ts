import { setTimeout as sleep } from "node:timers/promises";
import type { ApprovalList } from "../../contract/approval.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { value, wholeNumber } from "../option.ts";
import { approvalCells } from "../print-approvals.ts";
import { printTable } from "../print.ts";
import { safeText } from "../safe-text.ts";

const pageSize = 1000;

export const approvalsWatch = defineCommand({
  name: "watch",
  summary: "print each request for approval as it comes, until Ctrl-C",
  options: { interval: value("SECONDS", "how often to look (2)", { parse: wholeNumber(1, 3600) }) },
  examples: ["approvals watch", "approvals watch --jsonl"],
  async action({ control, output }, { interval = 2 }) {
    const client = await control();
    if (output.format === "json") {
      throw new CliError("usage", "There is no end to print one document at.", {
        hint: "use --jsonl: an object a line",
      });
    }
    let seen = new Set<string>();
    output.note("Waiting for requests; Ctrl-C ends it.");
    for (;;) {
      const { approvals } = await client.get<ApprovalList>("/control/approvals", {
        status: "pending",
        limit: pageSize,
      });
      // The oldest first: they come below one another.
      for (const approval of approvals.filter(({ id }) => !seen.has(id)).toReversed()) {
        if (output.format === "jsonl") output.document(approval);
        else if (output.format === "ids") output.print(safeText(approval.id));
        else await printTable(output, [], [approvalCells(output, approval)]);
      }
      seen = new Set(approvals.map(({ id }) => id));
      await sleep(interval * 1000);
    }
  },
});
