import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { stopDaemon } from "../daemon/stop-daemon.ts";
import { flag, value } from "../option.ts";
import { parseDuration } from "../parse-duration.ts";
import { printSheet } from "../print.ts";

export const stop = defineCommand({
  name: "stop",
  copesAlone: true,
  summary: "stop the daemon and wait until its running steps have ended",
  options: {
    timeout: value("TIME", "give up waiting after this time (40s)", { parse: parseDuration }),
    force: flag("end it at once after that time; the next start takes its runs up"),
  },
  examples: ["stop", "stop --timeout 5s --force"],
  async action(context, { timeout, force }) {
    await stopDaemon(context, { timeoutMs: timeout, isForced: force });
    const fields = [["state", textCell("stopped")]] as const;
    await printSheet(context.output, { json: { running: false }, id: null, fields });
  },
});
