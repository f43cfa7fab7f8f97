import type { ApprovalDetail } from "../../contract/approval.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { argument } from "../option.ts";
import { printSheet } from "../print.ts";
import { safeJson } from "../safe-text.ts";

export const approvalsShow = defineCommand({
  name: "show",
  summary: "show a request for approval whole",
  arguments: { approval: argument("id of the request, or of its run") },
  examples: ["approvals show RUN", "approvals show RUN --json"],
  async action({ control, output }, { approval: id }) {
    const client = await control();
    const approval = await client.get<ApprovalDetail>(`/control/approvals/${encodeURIComponent(id)}`);
    await printSheet(output, {
      json: approval,
      id: approval.id,
      fields: [
        ["request", textCell(approval.id)],
        ["run", textCell(approval.run_id, "bold")],
        ["action", textCell(approval.action_slug)],
        ["step", textCell(approval.step_id)],
        ["status", textCell(approval.status)],
        ["description", textCell(approval.description)],
        ["inputs", textCell(safeJson(approval.inputs))],
        ["hidden", textCell(approval.redacted_count === 0 ? null : `${approval.redacted_count} values are redacted`)],
        ["sha256", textCell(approval.inputs_sha256)],
        ["created", timeCell(approval.created_at, output.now)],
        ["expires", timeCell(approval.expires_at, output.now)],
        ["decided", timeCell(approval.decided_at, output.now)],
        ["by", textCell(approval.user_id)],
        ["via", textCell(approval.decided_via)],
        ["comment", textCell(approval.comment)],
      ],
    });
  },
});
