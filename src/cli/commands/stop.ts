import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "../cli-error.ts";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { value } from "../option.ts";
import { parseDuration } from "../parse-duration.ts";
import { printSheet } from "../print.ts";
import { readStatus } from "./status.ts";

const pollMs = 50;

/** A little longer than the drain (contract 17). */
const defaultTimeoutMs = 40_000;

export const stop = defineCommand({
  name: "stop",
  summary: "stop the daemon and wait until its running steps have ended",
  options: { timeout: value("TIME", "give up waiting after this time (40s)", { parse: parseDuration }) },
  examples: ["stop", "stop --timeout 5s"],
  async action({ control, output }, { timeout = defaultTimeoutMs }) {
    const client = await control();
    const deadline = performance.now() + timeout;
    await client.post("/control/stop");
    output.note("stopping: running steps may take up to 35 s to end …");
    // Silence on the socket is the proof: a process id may still be listed then (cli.md, measured fact 15).
    while ((await readStatus(client)) !== null) {
      if (performance.now() > deadline) {
        throw new CliError("waitTimedOut", "The daemon is still stopping.", { hint: "see: stepgate status" });
      }
      await sleep(pollMs);
    }
    const fields = [["state", textCell("stopped")]] as const;
    await printSheet(output, { json: { running: false }, id: null, fields });
  },
});
