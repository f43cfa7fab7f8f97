import * as z from "zod";
import { action } from "../../contract/action.ts";
import { ApiError } from "../../contract/errors.ts";
import { presentAction } from "../../engine/presentation/present-action.ts";
import { defineOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";

export const getAction = defineOperation({
  name: "getAction",
  tool: {
    name: "get_action",
    description:
      "Returns one action with the JSON Schemas of its input and its output, its status and its approval policy. Use it " +
      "before running the action, to build an input that fits. list_actions gives the slug.",
    hints: readsOnly,
  },
  title: "Get an action",
  description: "Returns one action with its input and output schemas, whether it is active, paused or archived.",
  route: ["GET", "/actions/:slug", 200],
  scope: "actions:read",
  input: z.object({ slug: z.string().describe("The action's slug") }),
  output: action,
  async handle({ services, caller }, { slug }) {
    const record = await services.store.findAction(caller.workspaceId, slug);
    if (!record) throw new ApiError("ACTION_NOT_FOUND", `No action has the slug ${slug.slice(0, 100)}`);
    return presentAction(record);
  },
});
