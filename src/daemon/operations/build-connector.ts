import * as z from "zod";
import { connectorBuild } from "../../contract/connector-api.ts";
import { defineToolOperation } from "../operation.ts";
import { buildFields, presentBuild, readBuildSource } from "./build-source.ts";

export const buildConnector = defineToolOperation({
  name: "buildConnector",
  tool: {
    name: "build_connector",
    description:
      "Builds a connector of a manifest (definition), or of an OpenAPI description (openapi, with slug), and replaces the " +
      "one of that slug. It runs in the background: get_build_status tells when it is done. An operation of a manifest is " +
      "{key, name, method, path, inputSchema, request: {query, headers, body}}; values are templates such as " +
      "{{input.id}} and {{connection.account}}. validate_connector tells what is wrong without building.",
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  },
  title: "Build a connector",
  scope: "connectors:write",
  input: z.object(buildFields),
  output: connectorBuild,
  async handle({ services, caller }, fields) {
    const { request, bytes } = readBuildSource(fields);
    return presentBuild(await services.builds.submit(caller.workspaceId, request, bytes));
  },
});
