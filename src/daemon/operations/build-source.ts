import * as z from "zod";
import type { ConnectorBuild } from "../../contract/connector-api.ts";
import { ApiError } from "../../contract/errors.ts";
import { jsonObject } from "../../contract/json.ts";
import { type BuildIssue, type BuildRequest, connectorSlug } from "../../contract/manifest.ts";
import { isoTime } from "../../engine/presentation/present-time.ts";
import type { BuildRecord } from "../../store/store.ts";

/** What build_connector and validate_connector take. */
export const buildFields = {
  definition: jsonObject.optional().describe("A manifest: {slug, name, version, auth, baseUrl, operations, triggers}"),
  openapi: z
    .union([z.string(), jsonObject], "must be an object or text")
    .optional()
    .describe("An OpenAPI 3.0 or 3.1 description: the object, or its YAML or JSON text"),
  slug: connectorSlug.optional().describe("The connector's slug, with openapi"),
};

type Fields = z.output<z.ZodObject<typeof buildFields>>;

/** A request and its bytes; throws BAD_REQUEST unless exactly one source is given, the description with a slug. */
export function readBuildSource({ definition, openapi, slug }: Fields): { request: BuildRequest; bytes: Uint8Array } {
  if ((definition === undefined) === (openapi === undefined)) {
    throw wrong("definition", "Give either definition, a manifest, or openapi, an API description");
  }
  if (openapi !== undefined) {
    if (slug === undefined) throw wrong("slug", "slug is missing: an API description does not name the connector");
    const text = typeof openapi === "string" ? openapi : JSON.stringify(openapi);
    return { request: { kind: "openapi", slug, fallbackSlug: null }, bytes: new TextEncoder().encode(text) };
  }
  const own = typeof definition?.["slug"] === "string" ? definition["slug"] : null;
  const bytes = new TextEncoder().encode(JSON.stringify(definition));
  return { request: { kind: "manifest", slug: slug ?? own, fallbackSlug: null }, bytes };
}

function wrong(field: string, message: string): ApiError {
  return new ApiError("BAD_REQUEST", message, { details: [{ field, message }] });
}

/** A build as callers read it. */
export function presentBuild(build: BuildRecord): ConnectorBuild {
  return {
    build_id: build.id,
    connector_id: build.slug,
    status: build.status,
    ...presentIssues(build.issues),
    operations: build.operations,
    created_at: isoTime(build.createdAt),
    completed_at: isoTime(build.completedAt),
  };
}

/** Issues by what they stand in the way of. */
export function presentIssues(issues: readonly BuildIssue[]): Pick<ConnectorBuild, "errors" | "warnings"> {
  const of = (wanted: BuildIssue["severity"]) =>
    issues.flatMap(({ severity, ...issue }) => (severity === wanted ? [issue] : []));
  return { errors: of("error"), warnings: of("warning") };
}
