import * as z from "zod";
import { connectorBuild } from "../../contract/connector-api.ts";
import { ApiError } from "../../contract/errors.ts";
import { defineToolOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";
import { presentBuild } from "./build-source.ts";

export const getBuildStatus = defineToolOperation({
  name: "getBuildStatus",
  tool: {
    name: "get_build_status",
    description:
      "Tells how a build of a connector stands: queued, running, succeeded or failed, with its errors, and the operations " +
      "that it made. build_connector tells its id.",
    hints: readsOnly,
  },
  title: "Read a build's status",
  scope: "connectors:read",
  input: z.object({ build_id: z.string().meta({ description: "The build's id", format: "uuid" }) }),
  output: connectorBuild,
  async handle({ services, caller }, { build_id: id }) {
    const build = await services.store.findBuild(caller.workspaceId, id.toLowerCase());
    if (!build) throw new ApiError("BUILD_NOT_FOUND", "No build has this id");
    return presentBuild(build);
  },
});
