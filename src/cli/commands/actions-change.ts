import type { Action } from "../../contract/action.ts";
import { textCell } from "../cell.ts";
import { type Command, defineCommand } from "../command.ts";
import { argument } from "../option.ts";
import { printSheet } from "../print.ts";

export const actionsPause = defineChange("pause", "start no more runs of an action; those under way go on");
export const actionsResume = defineChange("resume", "let an action that is paused or archived run again");
export const actionsArchive = defineChange("archive", "take an action out of use");

function defineChange(name: "pause" | "resume" | "archive", summary: string): Command {
  return defineCommand({
    name,
    summary,
    arguments: { slug: argument("slug of the action") },
    examples: [`actions ${name} hello`, `actions ${name} hello --json`],
    async action({ control, output }, { slug }) {
      const client = await control();
      const action = await client.post<Action>(`/control/actions/${encodeURIComponent(slug)}/${name}`);
      await printSheet(output, {
        json: action,
        id: action.slug,
        fields: [
          ["slug", textCell(action.slug, "bold")],
          ["status", textCell(action.status)],
        ],
      });
    },
  });
}
