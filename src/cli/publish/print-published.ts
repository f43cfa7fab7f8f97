import type { PublishResult } from "../../contract/control.ts";
import type { Issue } from "../../contract/workflow.ts";
import { textCell, type Cell } from "../cell.ts";
import type { Output } from "../output.ts";
import { issueLines } from "../print-issues.ts";
import { printTable } from "../print.ts";

/** Prints what became of each file, then every problem with its place. */
export async function printPublished(output: Output, result: PublishResult, isCheck: boolean): Promise<void> {
  const { published, unchanged, failed } = result;
  if (output.format === "json" || output.format === "jsonl") return output.document(result);
  if (output.format === "ids") return output.print(...published.map((file) => file.workflow_id));
  const rows = [
    ...published.map((row) => publishedRow(row, isCheck ? "valid" : "published")),
    ...unchanged.map((row) => publishedRow(row, "unchanged")),
    ...failed.map(({ file, issues }): Cell[] => [
      { raw: "failed", style: "red" },
      textCell(file),
      textCell(null),
      textCell(null),
      textCell(countProblems(issues)),
    ]),
  ];
  await printTable(output, [], rows);
  for (const { file, warnings } of [...published, ...unchanged]) output.print(...issueLines(output, file, warnings));
  for (const { file, issues } of failed) output.print(...issueLines(output, file, issues));
}

type PublishedRow = { file: string; slug: string | null; version: number; webhook_url?: string | null };

function publishedRow({ file, slug, version, webhook_url }: PublishedRow, state: string): Cell[] {
  const style = state === "unchanged" ? "dim" : "green";
  const versionCell = { raw: String(version), text: `version ${version}` };
  return [
    { raw: state, style },
    textCell(file),
    textCell(slug),
    versionCell,
    ...(webhook_url ? [textCell(webhook_url)] : []),
  ];
}

function countProblems(issues: readonly Issue[]): string {
  const errors = issues.filter((issue) => issue.severity === "error").length;
  return `${errors} error${errors === 1 ? "" : "s"}`;
}
