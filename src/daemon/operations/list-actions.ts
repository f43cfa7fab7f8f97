import { z } from "zod";
import { actionList } from "../../contract/action.ts";
import { presentAction } from "../../engine/present-action.ts";
import { defineOperation } from "../operation.ts";

export const listActions = defineOperation({
  name: "listActions",
  tool: "list_actions",
  title: "List actions",
  description: "Lists the workspace's active actions with their input schemas. Paused and archived ones are left out.",
  route: ["GET", "/actions", 200],
  scope: "actions:read",
  input: z.object({}),
  output: actionList,
  async handle({ services, caller }) {
    const records = await services.store.listActions(caller.workspaceId, ["active"]);
    const actions = records.filter((action) => action.release !== null).map(presentAction);
    return { actions, total: actions.length };
  },
});
