import type { ApprovalList } from "../../contract/approval.ts";
import type { DaemonStatus } from "../../contract/control.ts";
import { textCell, timeCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import type { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import { flag } from "../option.ts";
import { printSheet } from "../print.ts";
import { safeText } from "../safe-text.ts";

/** The daemon's own account; null when none runs. */
export async function readStatus(client: Client): Promise<DaemonStatus | null> {
  try {
    return await client.get<DaemonStatus>("/control/status");
  } catch (error) {
    if (error instanceof CliError && error.exit === "unreachable") return null;
    throw error;
  }
}

/** Requests of the workspace that wait for a decision; null where the daemon can't tell, as when it stops. */
async function countPending(client: Client): Promise<number | null> {
  client.patienceMs = 0;
  try {
    return (await client.get<ApprovalList>("/control/approvals", { status: "pending", limit: 1 })).total;
  } catch (error) {
    if (error instanceof CliError && error.exit !== "notFound") return null;
    throw error;
  }
}

export const status = defineCommand({
  name: "status",
  copesAlone: true,
  summary: "tell whether the daemon runs, and where",
  options: { env: flag("print its address as STEPGATE_URL=…, for a shell or an .env file") },
  examples: ["status", "status --json", "status --env >> .env"],
  async action({ control, output }, { env }) {
    const found = await readStatus(await control());
    if (found === null) {
      if (env) throw new CliError("unreachable", "The daemon is not running.");
      const fields = [["state", textCell("not running", "yellow")]] as const;
      await printSheet(output, { json: { running: false }, id: null, fields });
      return "unreachable";
    }
    if (env) {
      output.print(`STEPGATE_URL=${safeText(found.url)}`);
      return "ok";
    }
    const pending = await countPending(await control());
    await printSheet(output, {
      json: { ...found, pending_approvals: pending },
      id: found.instance_id,
      fields: [
        ["state", textCell("running", "green")],
        ["url", textCell(found.url)],
        ["pid", textCell(found.pid)],
        ["version", textCell(found.version)],
        ["database", textCell(found.db)],
        ["started", timeCell(found.started_at, output.now)],
        ["active runs", textCell(found.active_runs)],
        ["to approve", textCell(pending)],
      ],
    });
    return "ok";
  },
});
