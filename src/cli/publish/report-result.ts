import type { PublishResult } from "../../contract/control.ts";
import type { Issue } from "../../contract/workflow.ts";
import { CliError } from "../cli-error.ts";
import type { Output } from "../output.ts";
import { issueLines } from "../print-issues.ts";
import { safeText } from "../safe-text.ts";
import { type JunitSuite, writeJunit } from "../write-junit.ts";
import { printPublished } from "./print-published.ts";

export type ReportFormat = "text" | "json" | "github";

export type Report = { isCheck: boolean; format: ReportFormat | undefined; junit: string | undefined };

/** Says what became of each file in the form that was asked for; throws when one of them failed. */
export async function reportResult(output: Output, result: PublishResult, report: Report): Promise<void> {
  const { isCheck, format, junit } = report;
  if (junit !== undefined) await writeJunit(junit, [junitSuite(result)]);
  if (format === "github") output.print(...githubLines(result));
  else if (format === "json") output.document(result);
  else await printPublished(output, result, isCheck);
  const { published, unchanged, failed } = result;
  const count = published.length + unchanged.length + failed.length;
  if (failed.length > 0) throw new CliError("invalid", `${failed.length} of ${count} files failed.`);
}

function issuesByFile({ published, unchanged, failed }: PublishResult): { file: string; issues: readonly Issue[] }[] {
  const well = [...published, ...unchanged].map(({ file, warnings }) => ({ file, issues: warnings }));
  return [...well, ...failed];
}

/** Commands of a GitHub workflow, which shows them beside the lines that they are about. */
function githubLines(result: PublishResult): string[] {
  return issuesByFile(result).flatMap(({ file, issues }) =>
    issues.map(({ severity, code, message, line, column }) => {
      const place = line === null ? "" : `,line=${line},col=${column ?? 1}`;
      return safeText(`::${severity} file=${property(file)}${place},title=${property(code)}::${data(message)}`);
    }),
  );
}

/** What would end the command early is written out, as GitHub reads it. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function junitSuite(result: PublishResult): JunitSuite {
  const plain = { paint: (_: unknown, text: string) => text };
  const failed = new Set(result.failed.map(({ file }) => file));
  return {
    name: "workflows",
    cases: issuesByFile(result).map(({ file, issues }) => {
      const error = issues.find(({ severity }) => severity === "error");
      const message = error?.message ?? "The file failed";
      const text = issueLines(plain, file, issues).join("\n");
      return { name: file, ...(failed.has(file) && { failure: { kind: "invalid", message, text } }) };
    }),
  };
}
