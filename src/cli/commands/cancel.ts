import type { RunDetail } from "../../contract/run.ts";
import { defineCommand } from "../command.ts";
import { findRunId, runPath } from "../find-run.ts";
import { argument } from "../option.ts";
import { printRun } from "../print-run.ts";

export const cancel = defineCommand({
  name: "cancel",
  summary: "end a run that is not over",
  arguments: { run: argument("id of the run; at a terminal its first 6 characters or more do, when they are unique") },
  examples: ["cancel RUN", "cancel RUN --json"],
  async action(context, { run }) {
    const client = await context.runtime();
    const id = await findRunId(context, client, run);
    await printRun(context.output, await client.post<RunDetail>(`${runPath(id)}/cancel`));
  },
});
