import type { Approval } from "../contract/approval.ts";
import { type Cell, textCell, timeCell } from "./cell.ts";
import type { Output } from "./output.ts";
import { safeJson } from "./safe-text.ts";

export const approvalColumns = ["RUN", "ACTION", "STEP", "STATUS", "EXPIRES", "DESCRIPTION", "INPUTS"] as const;

/** A request for approval as a row of those columns. */
export function approvalCells({ now }: Pick<Output, "now">, approval: Approval): Cell[] {
  return [
    textCell(approval.run_id),
    textCell(approval.action_slug, "bold"),
    textCell(approval.step_id),
    textCell(approval.status),
    timeCell(approval.expires_at, now),
    textCell(approval.description),
    textCell(safeJson(approval.inputs)),
  ];
}
