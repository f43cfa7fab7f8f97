import type { Workspace } from "../contract/workspace.ts";
import { textCell } from "./cell.ts";
import type { Output } from "./output.ts";
import { printSheet } from "./print.ts";

/** Prints one workspace. */
export async function printWorkspace(output: Output, workspace: Workspace): Promise<void> {
  await printSheet(output, {
    json: workspace,
    id: workspace.name,
    fields: [
      ["name", textCell(workspace.name, "bold")],
      ["tier", textCell(workspace.tier)],
      ["id", textCell(workspace.id)],
    ],
  });
}
