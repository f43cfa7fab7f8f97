import type { RunDetail } from "../../contract/run.ts";
import { defineCommand } from "../command.ts";
import { isEnded } from "../event-stream.ts";
import { findRunId, runPath, runArgument } from "../find-run.ts";

export const runsOutput = defineCommand({
  name: "output",
  summary: "print a run's output alone, as JSON",
  arguments: { run: runArgument },
  examples: ["runs output RUN > out.json"],
  async action(context, { run }) {
    const client = await context.runtime();
    const id = await findRunId(client, run);
    const { output, status } = await client.get<RunDetail>(runPath(id));
    context.output.document(output);
    if (!isEnded(status)) context.output.note(`The run has not ended: ${status}.`);
  },
});
