import type { ActionList } from "../../contract/action.ts";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { runtimePath } from "../find-run.ts";
import { printListing } from "../print.ts";

export const actionsList = defineCommand({
  name: "list",
  summary: "list the actions that can be run",
  examples: ["actions list", "actions list --json"],
  async action({ runtime, output }) {
    const client = await runtime();
    const list = await client.get<ActionList>(`${runtimePath}/actions`);
    await printListing(output, {
      json: list,
      rows: list.actions,
      id: (action) => action.slug,
      columns: ["SLUG", "VERSION", "APPROVAL", "NAME", "DESCRIPTION"],
      cells: (action) => [
        textCell(action.slug, "bold"),
        textCell(action.release?.version),
        textCell(action.approval_policy, action.approval_policy === "always" ? "magenta" : undefined),
        textCell(action.name),
        textCell(action.description),
      ],
      empty: "No actions. Publish a workflow with: stepgate publish FILE",
    });
  },
});
