import { resolve } from "node:path";
import type { PublishRequest, PublishResult } from "../../contract/control.ts";
import type { Issue } from "../../contract/workflow.ts";
import { textCell, type Cell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { flag, rest, value } from "../option.ts";
import type { Output } from "../output.ts";
import { printTable } from "../print.ts";
import { safeText } from "../safe-text.ts";
import { readWorkflowFiles } from "../workflow-files.ts";

export const publish = defineCommand({
  name: "publish",
  summary: "publish workflow files, or check them",
  arguments: { paths: rest("files, and directories with .yaml, .yml and .json files below them") },
  options: {
    check: flag("check alone, publish nothing"),
    slug: value("SLUG", "slug of the action, where the file names none"),
    allowBreaking: flag("publish although callers of the action have to change"),
    asNew: flag("publish a renamed file as a new workflow"),
    renameFrom: value("OLD", "the workflow that this file was until now, by slug or name"),
  },
  examples: ["publish workflows/", "publish --check workflows/", "publish sync.yaml --slug sync-crm"],
  async action({ control, output }, { paths, check, slug, allowBreaking, asNew, renameFrom }) {
    const files = readWorkflowFiles(paths);
    const request: PublishRequest = {
      files: files.map(({ path, text }) => ({ file: path, text })),
      check,
      allow_breaking: allowBreaking,
      as_new: asNew,
      ...(slug === undefined ? {} : { slug }),
      ...(renameFrom === undefined ? {} : { rename_from: renameFrom }),
    };
    const client = await control();
    const answer = await client.post<PublishResult>("/control/publish", request);
    const names = new Map(files.map(({ path, shown }) => [path, shown]));
    const result = renameFiles(answer, (file) => names.get(resolve(file)) ?? file);
    await printResult(output, result, check);
    if (result.failed.length > 0) {
      throw new CliError("invalid", `${result.failed.length} of ${files.length} files failed.`);
    }
  },
});

/** The daemon speaks of absolute paths, the user of those that were typed. */
function renameFiles(result: PublishResult, nameOf: (file: string) => string): PublishResult {
  const rename = <Row extends { file: string }>(row: Row): Row => ({ ...row, file: nameOf(row.file) });
  return {
    published: result.published.map(rename),
    unchanged: result.unchanged.map(rename),
    failed: result.failed.map(rename),
  };
}

async function printResult(output: Output, result: PublishResult, isCheck: boolean): Promise<void> {
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

/** `file:line:col severity message (code)`, as editors and compilers have it. */
function issueLines({ paint }: Output, file: string, issues: readonly Issue[]): string[] {
  return issues.map(({ severity, code, message, line, column }) => {
    const place = [file, ...(line === null ? [] : [line, column ?? 1])].join(":");
    const kind = paint(severity === "error" ? "red" : "yellow", severity);
    return `${safeText(place)} ${kind} ${safeText(message)} (${safeText(code)})`;
  });
}

function countProblems(issues: readonly Issue[]): string {
  const errors = issues.filter((issue) => issue.severity === "error").length;
  return `${errors} error${errors === 1 ? "" : "s"}`;
}
