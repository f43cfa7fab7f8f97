import * as z from "zod";

/** The JSON Schema (2020-12) of what a schema takes, without what zod adds and nobody needs. */
export function toJsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, jsonSchemaOptions);
}

export const jsonSchemaOptions = {
  io: "input",
  unrepresentable: "any",
  override({ jsonSchema }) {
    // It says again, at length, what the format says.
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const satisfies z.core.ToJSONSchemaParams;
