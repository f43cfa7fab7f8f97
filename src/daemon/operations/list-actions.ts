import * as z from "zod";
import { actionList } from "../../contract/action.ts";
import { presentAction } from "../../engine/presentation/present-action.ts";
import type { ActionRecord } from "../../store/store.ts";
import { defineOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";

export const listActions = defineOperation({
  name: "listActions",
  tool: {
    name: "list_actions",
    description:
      "Lists the actions that can be run: published workflows, each with its slug, its description and the JSON Schema " +
      "of its input. Start here to find out what can be done; `query` narrows the list.",
    hints: readsOnly,
  },
  title: "List actions",
  description: "Lists the workspace's active actions with their input schemas. Paused and archived ones are left out.",
  route: ["GET", "/actions", 200],
  scope: "actions:read",
  input: z.object({ query: z.string().default("").describe("Text in the slug, name or description") }),
  output: actionList,
  async handle({ services, caller }, { query }) {
    const records = await services.store.listActions(caller.workspaceId, ["active"]);
    const actions = records
      .filter((record) => record.release !== null && isFound(record, query.toLowerCase()))
      .map(presentAction);
    return { actions, total: actions.length };
  },
});

function isFound({ slug, name, description }: ActionRecord, text: string): boolean {
  return [slug, name, description ?? ""].some((part) => part.toLowerCase().includes(text));
}
