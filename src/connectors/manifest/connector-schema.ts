import * as z from "zod";
import { manifest } from "../../contract/manifest.ts";
import { jsonSchemaOptions } from "../../engine/values/json-schema.ts";

/** The JSON Schema (draft 7, which editors know best) of manifests. It helps while typing; building checks far more. */
export function buildConnectorSchema(): { [keyword: string]: unknown } {
  const { properties, ...rest } = z.toJSONSchema(manifest, { ...jsonSchemaOptions, target: "draft-7" });
  const where = { type: "string", description: "Where editors find this schema" };
  return { ...rest, title: "Stepgate connector", properties: { $schema: where, ...properties } };
}
