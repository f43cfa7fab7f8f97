import type { TestFileResult } from "../../contract/workflow-test.ts";
import { issueLines } from "../print-issues.ts";
import type { JunitSuite } from "../write-junit.ts";
import { failureText } from "./print-tests.ts";

/** Test files as suites; one with problems is a suite with one failed case, so that no report is green by mistake. */
export function junitSuites(results: readonly TestFileResult[]): JunitSuite[] {
  return results.map(({ file, issues, cases }) => {
    const errors = issues.filter(({ severity }) => severity === "error");
    const [first] = errors;
    if (first) {
      const text = errors
        .flatMap(({ file: own, ...each }) => issueLines({ paint: (_, word) => word }, own, [each]))
        .join("\n");
      return { name: file, cases: [{ name: file, failure: { kind: "invalid", message: first.message, text } }] };
    }
    return {
      name: file,
      cases: cases.map(({ name, ok, duration_ms, failures }) => ({
        name,
        seconds: duration_ms / 1000,
        ...(!ok && {
          failure: { kind: failures[0]?.what ?? "", message: failures[0]?.message ?? "", text: failureText(failures) },
        }),
      })),
    };
  });
}
