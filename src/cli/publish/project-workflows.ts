import { existsSync, globSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { isTestFile } from "../workflow-files.ts";

/** The workflow files that the project's stepgate.yaml names by patterns, as seen from the working directory. */
export async function findProjectWorkflows({ configuration }: Pick<Context, "configuration">): Promise<string[]> {
  const { projectFile, settings } = await configuration();
  if (projectFile === null) {
    throw new CliError("usage", "No files are named and there is no stepgate.yaml that names them.", {
      hint: "give files or directories, or make a project: stepgate init",
    });
  }
  const folder = dirname(projectFile);
  // The value passed the setting's schema.
  const patterns = settings.get("workflows")?.value as string[];
  const found = patterns.flatMap((pattern) => globSync(pattern, { cwd: folder })).filter((file) => !isTestFile(file));
  if (found.length > 0)
    return [...new Set(found)].toSorted().map((file) => relative(process.cwd(), join(folder, file)));
  throw new CliError("usage", `No file fits the patterns in ${projectFile}: ${patterns.join(", ")}.`);
}

/** The folders in which those patterns look: what to watch for files that are yet to come. */
export async function projectWorkflowFolders(context: Pick<Context, "configuration">): Promise<string[]> {
  const { projectFile, settings } = await context.configuration();
  const folder = projectFile === null ? process.cwd() : dirname(projectFile);
  // The value passed the setting's schema.
  const patterns = settings.get("workflows")?.value as string[];
  const found = patterns.map((pattern) => join(folder, fixedPart(pattern))).filter((path) => existsSync(path));
  if (found.length > 0) return [...new Set(found)].map((path) => relative(process.cwd(), path) || ".");
  throw new CliError("usage", `There is nothing to publish: no folder fits ${patterns.join(", ")}.`, {
    hint: "give files or folders, or make a project: stepgate init",
  });
}

/** The part of a pattern before its first wildcard. */
function fixedPart(pattern: string): string {
  const parts = pattern.split("/");
  const end = parts.findIndex((part) => /[*?[{]/.test(part));
  return (end === -1 ? parts : parts.slice(0, end)).join("/") || ".";
}
