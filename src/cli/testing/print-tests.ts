import type { TestCaseResult, TestFailure, TestFileResult } from "../../contract/workflow-test.ts";
import type { Output } from "../output.ts";
import { issueLines } from "../print-issues.ts";
import { safeLines, safeText } from "../safe-text.ts";
import { showDifference } from "./show-difference.ts";

/** Prints what came of one file: its problems, its cases, and what no case reached. */
export function printTestFile(output: Output, result: TestFileResult): void {
  const { paint } = output;
  if (output.format === "json") return;
  if (output.format === "jsonl") return output.document(result);
  // Quiet: what failed, by name.
  if (output.format === "ids") {
    output.print(...result.cases.filter(({ ok }) => !ok).map(({ name }) => safeText(`${result.file}: ${name}`)));
    return;
  }
  output.print(paint("bold", safeText(result.file)));
  for (const { file, ...issue } of result.issues) output.print(...issueLines(output, file, [issue]));
  for (const each of result.cases) output.print(...caseLines(output, each));
  const { nodes, handles } = result.coverage ?? {};
  const unreached = [...(nodes?.unreached ?? []), ...(handles?.unreached ?? [])];
  if (unreached.length > 0) {
    output.print(`  ${paint("yellow", "never reached:")} ${unreached.map(safeText).join(", ")}`);
  }
}

function caseLines({ paint, isUnicode }: Output, { name, ok, duration_ms, failures }: TestCaseResult): string[] {
  const words = isUnicode ? { passed: "✓", failed: "✗" } : { passed: "pass", failed: "FAIL" };
  const sign = ok ? paint("green", words.passed) : paint("red", words.failed);
  const head = `  ${sign} ${safeText(name)} ${paint("dim", `(${duration_ms} ms)`)}`;
  return [head, ...failures.flatMap((failure) => failureLines(failure, paint)).map((line) => `      ${line}`)];
}

function failureLines({ what, message, ...values }: TestFailure, paint: Output["paint"]): string[] {
  const head = safeLines(message).split("\n");
  const hasValues = Object.hasOwn(values, "expected") && !isPlain(what);
  return hasValues ? [...head, ...showDifference(values.expected, values.received, paint)] : withExpected(head, values);
}

/** Of what is one word there is no difference to draw. */
function isPlain(what: string): boolean {
  return what === "status" || what.startsWith("steps.");
}

function withExpected(head: string[], { expected }: { expected?: unknown }): string[] {
  return typeof expected === "string" ? [`${head.join("\n")}; expected ${safeText(expected)}`] : head;
}

/** The failures of a case as plain text, for a report. */
export function failureText(failures: readonly TestFailure[]): string {
  return failures.flatMap((failure) => failureLines(failure, (_, text) => text)).join("\n");
}
