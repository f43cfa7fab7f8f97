import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { launchDaemon } from "../daemon/launch.ts";
import { stopDaemon } from "../daemon/stop-daemon.ts";
import { value } from "../option.ts";
import { parseDuration } from "../parse-duration.ts";
import { printSheet } from "../print.ts";
import { readStatus } from "./status.ts";

export const restart = defineCommand({
  name: "restart",
  summary: "stop the daemon, wait for its running steps, and start it in the background",
  options: { timeout: value("TIME", "give up waiting for the stop after this time (40s)", { parse: parseDuration }) },
  examples: ["restart"],
  async action(context, { timeout }) {
    const { control, output } = context;
    const before = await readStatus(await control());
    // Agents have the address in their configuration: it stays.
    const place = before ? new URL(before.url) : null;
    if (before) await stopDaemon(context, { timeoutMs: timeout });
    const { status } = await launchDaemon(context, { port: place?.port ? Number(place.port) : undefined });
    await printSheet(output, {
      json: { ...status, restarted: before !== null },
      id: status.instance_id,
      fields: [
        ["state", textCell(before ? "restarted" : "started", "green")],
        ["url", textCell(status.url)],
        ["pid", textCell(status.pid)],
      ],
    });
  },
});
