import { z } from "zod";
import { action } from "../../contract/action.ts";
import { ApiError } from "../../contract/errors.ts";
import { presentAction } from "../../engine/present-action.ts";
import { defineOperation } from "../operation.ts";

export const getAction = defineOperation({
  name: "getAction",
  tool: "get_action",
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
