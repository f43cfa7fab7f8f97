import type { ConnectorCheck } from "../contract/connector-api.ts";
import type { Output } from "./output.ts";
import { safeText } from "./safe-text.ts";

type Found = Pick<ConnectorCheck, "errors" | "warnings">;

/** Warnings that are shown to a person; a large description may have hundreds. */
const maxWarnings = 20;

/** `file:line:col severity message (code)`, as editors and compilers have it; without a line the JSON pointer. */
export function printBuildIssues(output: Output, file: string, { errors, warnings }: Found): void {
  const shown = output.format === "table" ? warnings.slice(0, maxWarnings) : warnings;
  const line =
    (severity: "error" | "warning") =>
    ({ code, message, path, line: row, column }: Found["errors"][number]): string => {
      const place = row === null ? [file, path].filter((part) => part !== "") : [file, row, column ?? 1];
      const kind = output.paint(severity === "error" ? "red" : "yellow", severity);
      return `${safeText(place.join(":"))} ${kind} ${safeText(message)} (${safeText(code)})`;
    };
  output.print(...errors.map(line("error")), ...shown.map(line("warning")));
  const rest = warnings.length - shown.length;
  if (rest > 0) output.note(`and ${rest} more warnings; --json has all of them`);
}
