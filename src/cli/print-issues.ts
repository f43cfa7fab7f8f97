import type { Issue } from "../contract/workflow.ts";
import type { Output } from "./output.ts";
import { safeText } from "./safe-text.ts";

/** `file:line:col severity message (code)`, as editors and compilers have it. */
export function issueLines({ paint }: Pick<Output, "paint">, file: string, issues: readonly Issue[]): string[] {
  return issues.map(({ severity, code, message, line, column }) => {
    const place = [file, ...(line === null ? [] : [line, column ?? 1])].join(":");
    const kind = paint(severity === "error" ? "red" : "yellow", severity);
    return `${safeText(place)} ${kind} ${safeText(message)} (${safeText(code)})`;
  });
}
