import * as z from "zod";
import { connectorCheck } from "../../contract/connector-api.ts";
import { defineToolOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";
import { buildFields, presentIssues, readBuildSource } from "./build-source.ts";

export const validateConnector = defineToolOperation({
  name: "validateConnector",
  tool: {
    name: "validate_connector",
    description:
      "Checks a manifest (definition) or an OpenAPI description (openapi, with slug) as build_connector would, and stores " +
      "nothing. Every problem comes at once, each with its JSON pointer; warnings name what would be left out.",
    hints: readsOnly,
  },
  title: "Check a connector",
  scope: "connectors:write",
  input: z.object(buildFields),
  output: connectorCheck,
  async handle({ services }, fields) {
    const { request, bytes } = readBuildSource(fields);
    const found = presentIssues(await services.builds.check(request, bytes));
    return { valid: found.errors.length === 0, ...found };
  },
});
