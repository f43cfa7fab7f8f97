import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestSource } from "../../contract/workflow-test.ts";
import { CliError } from "../cli-error.ts";
import { isTestFile } from "../workflow-files.ts";

const extensions = [".yaml", ".yml", ".json"];

/** A file of tests and the workflow beside it, by the names that people would type. */
export type TestPlace = { file: string; workflow: string };

/**
 * The test files that paths stand for: themselves, those beside workflows, those below directories. Each once, in the
 * order in which they are named. Throws where a path has none, and where no workflow lies beside one.
 */
export function findTests(paths: readonly string[]): TestPlace[] {
  const found = paths.flatMap((path) => {
    const files = listTests(path);
    if (files.length === 0) throw new CliError("usage", `There is no .test.yaml file in ${path}.`, { hint: testsHint });
    return files;
  });
  return [...new Map(found.map((file) => [resolve(file), { file, workflow: findWorkflow(file) }])).values()];
}

export const testsHint = "tests of NAME.yaml are a list of cases in NAME.test.yaml beside it";

/** Reads both files. */
export function readTest({ file, workflow }: TestPlace): TestSource {
  return { file, text: readFileSync(file, "utf8"), workflow: { file: workflow, text: readFileSync(workflow, "utf8") } };
}

/** The tests beside workflow files; those without any are left out. */
export function testsBeside(workflows: readonly string[]): string[] {
  return [...new Set(workflows.flatMap((file) => besideWorkflow(file) ?? []))];
}

function listTests(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new CliError("usage", `There is no file or directory ${path}.`);
  if (stats.isDirectory()) return listDirectory(path);
  if (isTestFile(path)) return [path];
  const beside = besideWorkflow(path);
  if (beside !== undefined) return [beside];
  throw new CliError("usage", `${path} has no tests.`, { hint: testsHint });
}

function listDirectory(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
    if (entry.isDirectory()) return listDirectory(path);
    return isTestFile(path) ? [path] : [];
  });
}

function besideWorkflow(file: string): string | undefined {
  const base = file.replace(/\.[^./\\]+$/, "");
  return extensions.map((extension) => `${base}.test${extension}`).find((path) => existsSync(path));
}

function findWorkflow(file: string): string {
  const base = file.replace(/\.test\.[^./\\]+$/i, "");
  const workflow = extensions.map((extension) => `${base}${extension}`).find((path) => existsSync(path));
  if (workflow !== undefined) return workflow;
  throw new CliError("usage", `${file} tests a workflow that is not there: ${base}.yaml, .yml or .json.`);
}
