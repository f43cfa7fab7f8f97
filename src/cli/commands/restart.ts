import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { launchDaemon } from "../daemon/launch.ts";
import { stopDaemon } from "../daemon/stop-daemon.ts";
import { value, wholeNumber } from "../option.ts";
import { parseDuration } from "../parse-duration.ts";
import { printSheet } from "../print.ts";
import { readStatus } from "./status.ts";

export const restart = defineCommand({
  name: "restart",
  summary: "stop the daemon, wait for its running steps, and start it in the background",
  options: {
    host: value("HOST", "address to listen on (the one that it was started with)"),
    port: value("PORT", "port to listen on (the one that it was started with)", { parse: wholeNumber(0, 65_535) }),
    timeout: value("TIME", "give up waiting for the stop after this time (40s)", { parse: parseDuration }),
  },
  examples: ["restart", "restart --host 127.0.0.1"],
  async action(context, { host, port, timeout }) {
    const { control, output } = context;
    const before = await readStatus(await control());
    if (before) await stopDaemon(context, { timeoutMs: timeout });
    // Agents have the address in their configuration: what was given for it at the start stays.
    const given = before?.given;
    const place = { host: host ?? given?.host ?? undefined, port: port ?? given?.port ?? undefined };
    const { status } = await launchDaemon(context, place);
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
