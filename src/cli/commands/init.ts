import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { textCell } from "../cell.ts";
import { CliError, reasonOf, systemCode } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { type ProjectFile, projectFiles, templateNames } from "../init/templates.ts";
import { flag, oneOf, optionalArgument, value } from "../option.ts";
import { printListing } from "../print.ts";

export const init = defineCommand({
  name: "init",
  summary: "make a project: stepgate.yaml and a first workflow; what is there already stays",
  arguments: { dir: optionalArgument("folder of the project, made when it is missing; else this one") },
  options: {
    template: value("NAME", "hello (the smallest action) or approval (asks a person first); hello if absent", {
      parse: oneOf(...templateNames),
    }),
    force: flag("write over files that are there"),
  },
  examples: ["init", "init demo", "init demo --template approval", "init --force"],
  async action({ wiring, output }, { dir = ".", template = "hello", force }) {
    const files = projectFiles(template, await wiring.workflowSchema());
    const rows = files.map((file) => ({ path: file.path, state: write(dir, file, force) }));
    const named = (state: FileState) => rows.filter((row) => row.state === state).map(({ path }) => path);
    await printListing(output, {
      json: { dir, template, created: named("created"), kept: named("kept"), replaced: named("replaced") },
      rows,
      id: ({ path }) => path,
      columns: [],
      cells: ({ path, state }) => [textCell(state, state === "kept" ? "dim" : "green"), textCell(join(dir, path))],
      empty: "",
    });
    output.note(`Next: ${dir === "." ? "" : `cd ${dir} && `}stepgate dev`);
  },
});

type FileState = "created" | "kept" | "replaced";

/** Writes a file that is not there yet, with `force` also over one that is. */
function write(dir: string, { path, text }: ProjectFile, force: boolean): FileState {
  const file = join(dir, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
    return "created";
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw unwritable(file, error);
  }
  if (!force) return "kept";
  try {
    writeFileSync(file, text);
    return "replaced";
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(file: string, error: unknown): CliError {
  return new CliError("usage", `${file} can't be made: ${reasonOf(error)}.`);
}
