import type { PublishResult } from "../../contract/control.ts";
import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import type { Coverage, TestCase, TestCaseResult, TestFileResult, TestSource } from "../../contract/workflow-test.ts";
import { deriveType } from "../../engine/definition/derive-schemas.ts";
import type { ScriptRunner } from "../../engine/script.ts";
import { readWorkflow } from "../read-workflow.ts";
import { createScriptRunner } from "../sandbox/script-runner.ts";
import { checkFilesWith } from "./check-files.ts";
import { judgeCase } from "./judge-case.ts";
import { measureCoverage } from "./measure-coverage.ts";
import { readTestFile } from "./read-test-file.ts";
import { type Played, runCase } from "./run-case.ts";

/**
 * Runs files of tests one after the other and tells of each when it is done (contract 19). A case that fails keeps no
 * other back; a file with problems has none of its cases run. Ends between two cases when it is aborted.
 */
export async function runTests(
  sources: readonly TestSource[],
  onFile: (result: TestFileResult) => void,
  signal: AbortSignal,
): Promise<void> {
  const scripts = createScriptRunner();
  try {
    for (const source of sources) if (!signal.aborted) onFile(await runFile(source, scripts, signal));
  } finally {
    scripts.stop();
  }
}

type Scripts = ScriptRunner & { stop(): void };

async function runFile(
  { file, text, workflow }: TestSource,
  scripts: Scripts,
  signal: AbortSignal,
): Promise<TestFileResult> {
  const { definition } = readWorkflow(workflow.file, workflow.text);
  const tests = readTestFile(file, text, definition);
  const slug =
    definition && deriveType(definition) === "callable" && definition.slug === undefined ? "test" : undefined;
  const checked = await checkFilesWith(scripts, { files: [workflow], slug });
  const issues = [
    ...tests.issues.map((issue) => ({ ...issue, file })),
    ...issuesOf(checked).map((issue) => ({ ...issue, file: workflow.file })),
  ];
  const result = { file, workflow: workflow.file, issues };
  if (!definition || issues.some(({ severity }) => severity === "error"))
    return { ...result, cases: [], coverage: null };
  const named = slug === undefined ? definition : { ...definition, slug };
  return { ...result, ...(await runCases(named, tests.cases, scripts, signal)) };
}

function issuesOf({ published, unchanged, failed }: PublishResult): Issue[] {
  return [
    ...[...published, ...unchanged].flatMap(({ warnings }) => warnings),
    ...failed.flatMap(({ issues }) => issues),
  ];
}

async function runCases(
  definition: WorkflowDefinition,
  cases: readonly TestCase[],
  scripts: Scripts,
  signal: AbortSignal,
): Promise<{ cases: TestCaseResult[]; coverage: Coverage | null }> {
  const results: TestCaseResult[] = [];
  const runs: Played[] = [];
  for (const test of cases) {
    if (signal.aborted) break;
    const startedAt = performance.now();
    const duration = () => Math.round(performance.now() - startedAt);
    try {
      const played = await runCase(definition, test, scripts);
      runs.push(played);
      const failures = judgeCase(test, played);
      const { status } = played;
      results.push({ name: test.name, ok: failures.length === 0, status, duration_ms: duration(), failures });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      results.push({ name: test.name, ok: false, duration_ms: duration(), failures: [{ what: "run", message }] });
    }
  }
  const graph = runs.find((played) => played.graph !== null)?.graph ?? null;
  const coverage =
    graph &&
    measureCoverage(
      graph,
      runs.flatMap(({ graph: own, steps }) => (own ? [steps] : [])),
    );
  return { cases: results, coverage };
}
