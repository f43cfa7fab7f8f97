import type { TestFileResult } from "../../contract/workflow-test.ts";
import { CliError, reasonOf } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { flag, optionalRest, value } from "../option.ts";
import { findProjectWorkflows } from "../publish/project-workflows.ts";
import { safeText } from "../safe-text.ts";
import { type TestPlace, findTests, readTest, testsBeside, testsHint } from "../testing/find-tests.ts";
import { junitSuites } from "../testing/junit-suites.ts";
import { printTestFile } from "../testing/print-tests.ts";
import { watchTests } from "../testing/watch-tests.ts";
import { writeJunit } from "../write-junit.ts";

export const test = defineCommand({
  name: "test",
  summary: "run the tests of workflows, without a daemon, a network or the time they wait",
  arguments: {
    paths: optionalRest("test files, workflows with tests beside them, directories; else those of stepgate.yaml"),
  },
  options: {
    junit: value("FILE", "write a report in JUnit's form"),
    watch: flag("run what a change concerns again, until Ctrl-C"),
  },
  examples: ["test workflows/", "test refund.test.yaml --watch", "test workflows/ --junit tests.xml"],
  async action(context, { paths, junit, watch }) {
    const places = findTests(paths.length > 0 ? paths : await projectTests(context));
    const run = async (chosen: readonly TestPlace[]) => runOnce(context, chosen, junit);
    if (!watch) return run(places);
    const runAndTell = async (chosen: readonly TestPlace[]) =>
      run(chosen).catch(
        (error: unknown) => void context.terminal.stderr.write(`stepgate: ${safeText(reasonOf(error))}\n`),
      );
    const watching = watchTests(places, runAndTell, context.signal);
    await runAndTell(places);
    await watching;
  },
});

/** The tests beside the workflows that the project's stepgate.yaml names. */
async function projectTests(context: Context): Promise<string[]> {
  const tests = testsBeside(await findProjectWorkflows(context));
  if (tests.length > 0) return tests;
  throw new CliError("usage", "No workflow of the project has tests.", { hint: testsHint });
}

async function runOnce(
  { wiring, output, signal }: Context,
  places: readonly TestPlace[],
  junit: string | undefined,
): Promise<void> {
  const files: TestFileResult[] = [];
  const onFile = (result: TestFileResult) => {
    files.push(result);
    printTestFile(output, result);
  };
  await wiring.runTests(places.map(readTest), onFile, signal);
  if (junit !== undefined) await writeJunit(junit, junitSuites(files));
  const cases = files.flatMap((file) => file.cases);
  const failed = cases.filter(({ ok }) => !ok).length;
  const invalid = files.filter(({ issues }) => issues.some(({ severity }) => severity === "error")).length;
  const passed = cases.length - failed;
  if (output.format === "json") output.document({ ok: failed + invalid === 0, passed, failed, invalid, files });
  if (invalid > 0) {
    const rest = cases.length > 0 ? ` Of the others ${passed} of ${count(cases.length, "case")} passed.` : "";
    throw new CliError("invalid", `${count(invalid, "test file")} could not be run.${rest}`);
  }
  if (failed > 0)
    throw new CliError("failure", `${failed} of ${count(cases.length, "case")} failed.`, { code: "TESTS_FAILED" });
  if (output.format === "table" || output.format === "tsv") output.print(`${count(passed, "case")} passed.`);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
