import type { RunDetail } from "../../contract/run.ts";
import { defineCommand } from "../command.ts";
import { findRunId, runPath, runArgument } from "../find-run.ts";
import { printRun } from "../print-run.ts";

export const runsShow = defineCommand({
  name: "show",
  summary: "show a run with its steps and its output",
  arguments: { run: runArgument },
  examples: ["runs show RUN", "runs show RUN --json"],
  async action(context, { run }) {
    const client = await context.runtime();
    const id = await findRunId(client, run);
    await printRun(context.output, await client.get<RunDetail>(runPath(id)));
  },
});
