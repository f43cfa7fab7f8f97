import type { RunLogLine, RunLogPage } from "../../contract/run-log.ts";
import type { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import { findRunId, runArgument } from "../find-run.ts";
import { showStep } from "../journal-line.ts";
import { value, wholeNumber } from "../option.ts";
import type { Output } from "../output.ts";
import { safeLines, safeText } from "../safe-text.ts";
import { showClock } from "../show-time.ts";

export const runsLogs = defineCommand({
  name: "logs",
  summary: "print what the scripts of a run wrote to their console",
  arguments: { run: runArgument },
  options: { after: value("SEQ", "begin after this line (0)", { parse: wholeNumber(0) }) },
  examples: ["runs logs RUN", "runs logs RUN --json"],
  async action(context, { run, after = 0 }) {
    const { output } = context;
    const client = await context.control();
    const lines = await readLines(client, await findRunId(client, run), after);
    if (output.format === "json") {
      output.document({ logs: lines, next_after: lines.at(-1)?.seq ?? after } satisfies RunLogPage);
      return;
    }
    for (const line of lines) printLine(output, line);
    if (lines.length === 0) output.note("The run has written nothing to its console.");
  },
});

/** A run keeps 1 MiB of lines at most. */
async function readLines(client: Client, runId: string, after: number): Promise<RunLogLine[]> {
  const lines: RunLogLine[] = [];
  for (let from = after; ;) {
    const page = await client.get<RunLogPage>(`/control/runs/${encodeURIComponent(runId)}/logs`, { after: from });
    if (page.logs.length === 0) return lines;
    lines.push(...page.logs);
    from = page.next_after;
  }
}

function printLine(output: Output, line: RunLogLine): void {
  const { seq, created_at, text } = line;
  const step = safeText(showStep(line));
  if (output.format === "jsonl") output.document(line);
  else if (output.format === "ids") output.print(String(seq));
  else if (output.format === "tsv") output.print([seq, created_at, step, safeText(text)].join("\t"));
  else
    output.print(`${output.paint("dim", showClock(created_at))}  ${step}  ${safeLines(text).replaceAll("\n", "\n  ")}`);
}
