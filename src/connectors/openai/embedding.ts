import * as z from "zod";

export const embeddingInput = z.strictObject({
  model: z.string().min(1).describe("Name of the embedding model"),
  input: z.string().min(1).describe("The text"),
});

export const embedding = z.strictObject({
  embedding: z.array(z.number()).describe("The vector"),
  model: z.string().describe("The model that answered, as the provider says it"),
  usage: z.strictObject({ inputTokens: z.number().nullable() }),
});
export type Embedding = z.infer<typeof embedding>;
