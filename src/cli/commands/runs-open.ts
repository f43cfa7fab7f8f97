import { defineCommand } from "../command.ts";
import { runArgument } from "../find-run.ts";
import { ui } from "./ui.ts";

export const runsOpen = defineCommand({
  name: "open",
  summary: "open a run in the terminal UI",
  arguments: { run: runArgument },
  examples: ["runs open RUN"],
  action: async (context, { run }) =>
    ui.run(
      context,
      new Map([
        ["screen", ["run"]],
        ["of", [run]],
      ]),
    ),
});
