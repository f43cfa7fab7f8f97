import { writeFileSync } from "node:fs";
import type { Builder } from "junit-report-builder";
import { CliError, reasonOf } from "./cli-error.ts";
import { safeLines, safeText } from "./safe-text.ts";

export type JunitCase = {
  name: string;
  seconds?: number;
  /** Absent when it went well. */
  failure?: { kind: string; message: string; text: string };
  isSkipped?: boolean;
};

export type JunitSuite = { name: string; cases: readonly JunitCase[] };

/** Writes a report in JUnit's form, which every CI reads. Throws a usage error when the file can't be written. */
export async function writeJunit(file: string, suites: readonly JunitSuite[]): Promise<void> {
  // Loaded for those who ask for it alone.
  const library = await import("junit-report-builder");
  // Its types take it for a module with a default of its own; the builder itself is what CommonJS exports.
  const report = (library.default as unknown as Builder).newBuilder();
  for (const { name: suiteName, cases } of suites) {
    const suite = report.testSuite().name(safeText(suiteName));
    for (const { name, seconds, failure, isSkipped } of cases) {
      const testCase = suite.testCase().className(safeText(suiteName)).name(safeText(name));
      if (seconds !== undefined) testCase.time(seconds);
      if (isSkipped) testCase.skipped();
      if (failure) {
        testCase.failure(safeText(failure.message), safeText(failure.kind)).stacktrace(safeLines(failure.text));
      }
    }
  }
  try {
    writeFileSync(file, `${report.build()}\n`);
  } catch (error) {
    throw new CliError("usage", `The JUnit report can't be written: ${reasonOf(error)}.`);
  }
}
