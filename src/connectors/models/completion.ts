import * as z from "zod";
import type { Json } from "../../contract/json.ts";
import { toJsonSchema } from "../../engine/values/json-schema.ts";

/** What every model provider is asked, whatever its own words for it are. */
export const completionInput = z.strictObject({
  model: z.string().min(1).describe("Name of the model, as the provider calls it"),
  prompt: z.string().min(1).describe("The user's message"),
  system: z.string().min(1).optional().describe("The system prompt"),
  temperature: z.number().min(0).max(2).optional().describe("How much chance there is in the answer"),
  maxTokens: z.int().min(1).optional().describe("The most tokens that the answer may have"),
});

/** What a model answered. Local servers may leave the usage out: then the counts are null. */
export const completion = z.strictObject({
  text: z.string(),
  model: z.string().describe("The model that answered, as the provider says it"),
  usage: z.strictObject({ inputTokens: z.number().nullable(), outputTokens: z.number().nullable() }),
  finishReason: z.string().nullable().describe("Why it stopped, in the provider's words"),
});
export type Completion = z.infer<typeof completion>;

/** A schema as the JSON Schema that an operation shows. */
export function operationSchema(schema: z.ZodType): { [key: string]: Json } {
  const { $schema: _, ...rest } = toJsonSchema(schema);
  return rest as { [key: string]: Json };
}
