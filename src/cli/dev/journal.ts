import { statusCell } from "../cell.ts";
import { journalLine } from "../journal-line.ts";
import type { Output } from "../output.ts";
import { safeText } from "../safe-text.ts";
import type { RunNews } from "./follow-runs.ts";

/** Enough of an id to tell runs apart by eye: the first characters are the time and nearly alike. */
const tailLength = 6;

function newsBody({ run: { run_id, action_slug, status }, event }: RunNews): object {
  return event === null ? { type: "run", run_id, action_slug, status } : { type: "event", event };
}

/** Prints what happened to a run on one line, behind the action's slug and the end of the run's id. */
export function printNews(output: Output, news: RunNews): void {
  if (output.format === "json" || output.format === "jsonl") return output.document(newsBody(news));
  const { run, event } = news;
  if (output.format === "ids")
    return event === null && run.status === "accepted" ? output.print(run.run_id) : undefined;
  const name = output.paint("dim", `${safeText(run.action_slug ?? "workflow")} ${run.run_id.slice(-tailLength)}`);
  if (event !== null) return output.print(`${name}  ${journalLine(event, { ...output, format: "table" })}`);
  const { text = "", raw, style = "dim" } = statusCell(run.status, output.isUnicode);
  output.print(`${name}  ${output.paint(style, text || raw)}${run.error_code ? ` ${safeText(run.error_code)}` : ""}`);
}
