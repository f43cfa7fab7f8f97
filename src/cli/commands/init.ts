import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { textCell } from "../cell.ts";
import { CliError, reasonOf, systemCode } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { type ProjectFile, projectFiles, templateNames } from "../init/templates.ts";
import { oneOf, optionalArgument, value } from "../option.ts";
import { printListing } from "../print.ts";

export const init = defineCommand({
  name: "init",
  summary: "make a project: stepgate.yaml and a first workflow; what is there already stays",
  arguments: { dir: optionalArgument("folder of the project, made when it is missing; else this one") },
  options: {
    template: value("NAME", "hello (the smallest action) or approval (asks a person first); hello if absent", {
      parse: oneOf(...templateNames),
    }),
  },
  examples: ["init", "init demo", "init demo --template approval"],
  async action({ wiring, output }, { dir = ".", template = "hello" }) {
    const files = projectFiles(template, await wiring.workflowSchema());
    const rows = files.map((file) => ({ path: file.path, state: create(dir, file) ? "created" : "kept" }));
    const named = (state: string) => rows.filter((row) => row.state === state).map(({ path }) => path);
    await printListing(output, {
      json: { dir, template, created: named("created"), kept: named("kept") },
      rows,
      id: ({ path }) => path,
      columns: [],
      cells: ({ path, state }) => [textCell(state, state === "created" ? "green" : "dim"), textCell(join(dir, path))],
      empty: "",
    });
    output.note(`Next: ${dir === "." ? "" : `cd ${dir} && `}stepgate dev`);
  },
});

/** Writes a file that is not there yet, and says whether it did. */
function create(dir: string, { path, text }: ProjectFile): boolean {
  const file = join(dir, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw new CliError("usage", `${file} can't be made: ${reasonOf(error)}.`);
  }
}
