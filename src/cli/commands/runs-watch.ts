import type { RunDetail } from "../../contract/run.ts";
import { defineCommand } from "../command.ts";
import { isEnded } from "../event-stream.ts";
import { findRunId, runPath, runArgument } from "../find-run.ts";
import { flag, oneOf, value } from "../option.ts";
import { parseDuration } from "../parse-duration.ts";
import { printEnd, readPatience } from "./run.ts";

export const runsWatch = defineCommand({
  name: "watch",
  summary: "follow a run to its end; the exit code tells it (stepgate help exit-codes)",
  arguments: { run: runArgument },
  options: {
    compact: flag("leave out steps that start, end well or are skipped"),
    timeout: value("TIME", "give up watching after this time; the run goes on", { parse: parseDuration }),
    onApproval: value("WHAT", "exit at an approval, or wait for it (wait at a terminal, else exit)", {
      parse: oneOf("exit", "wait"),
    }),
  },
  examples: ["runs watch RUN", "runs watch RUN --timeout 5m", "runs watch RUN --compact", "runs watch RUN --jsonl"],
  async action(context, { run, compact, timeout, onApproval }) {
    const client = await context.runtime();
    const started = await client.get<RunDetail>(runPath(await findRunId(client, run)));
    const patience = await readPatience(context, { wait: true, follow: true, timeout, onApproval });
    // Of a run that is over already the journal is printed all the same: it is read from its beginning.
    const seen = isEnded(started.status) ? { ...started, status: "accepted" as const } : started;
    await printEnd(context, client, seen, { ...patience, compact, timeoutMs: patience.timeout });
  },
});
