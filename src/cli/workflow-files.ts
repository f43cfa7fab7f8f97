import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { CliError } from "./cli-error.ts";

const extensions = new Set([".yaml", ".yml", ".json"]);

/** A workflow's tests (contract 19) and the project's own settings are no workflows. */
export function isTestFile(path: string): boolean {
  return /\.test\.(?:ya?ml|json)$/i.test(path);
}

export type WorkflowFile = {
  /** As the user would write it. */
  shown: string;
  /** Absolute: the daemon knows a file again by its path (contract 2) and runs in another directory. */
  path: string;
  text: string;
};

/** Reads files as they are named and directories with all that is below them, in the order of their names. */
export function readWorkflowFiles(paths: readonly string[]): WorkflowFile[] {
  const shown = paths.flatMap((path) => {
    const found = listFiles(path);
    if (found.length === 0) throw new CliError("usage", `There is no .yaml, .yml or .json file in ${path}.`);
    return found;
  });
  const byPath = new Map(shown.map((each) => [resolve(each), each]));
  return [...byPath].map(([path, name]) => ({ shown: name, path, text: readFileSync(path, "utf8") }));
}

function listFiles(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new CliError("usage", `There is no file or directory ${path}.`);
  if (stats.isDirectory()) return listDirectory(path);
  if (isTestFile(path)) throw new CliError("usage", `${path} holds tests of a workflow and is no workflow itself.`);
  if (extensions.has(extname(path))) return [path];
  throw new CliError("usage", `${path} is no workflow file: its name must end in .yaml, .yml or .json.`);
}

function listDirectory(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
    if (entry.isDirectory()) return listDirectory(path);
    return extensions.has(extname(entry.name)) && !isTestFile(path) && entry.name !== "stepgate.yaml" ? [path] : [];
  });
}
