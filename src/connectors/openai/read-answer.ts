import * as z from "zod";
import { type StepOutcome, done } from "../../engine/node.ts";
import type { Completion } from "../models/completion.ts";
import { malformed, refused } from "../models/model-failure.ts";
import type { Embedding } from "./embedding.ts";

const name = "OpenAI";
const choice = z.object({
  message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
  finish_reason: z.string().nullish(),
});
const chat = z.object({
  choices: z.tuple([choice], z.unknown()),
  model: z.string().nullish(),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});
const vectors = z.object({
  data: z.tuple([z.object({ embedding: z.array(z.number()).min(1) })], z.unknown()),
  model: z.string().nullish(),
  usage: z.object({ prompt_tokens: z.number().nullish() }).nullish(),
});
/** Some servers report an error with the status of success. */
const problem = z.object({ error: z.object({ message: z.string() }) });

/** The text of a chat completion. A model that refuses or says nothing is a failure: there is no answer to go on with. */
export function readCompletion(body: unknown, asked: string): StepOutcome {
  const read = chat.safeParse(body);
  if (!read.success) return explain(body, "it is no chat completion");
  const [{ message, finish_reason }] = read.data.choices;
  if (message.refusal) return refused(name, message.refusal);
  if (typeof message.content !== "string") return malformed(name, `it holds no text (${finish_reason ?? "no reason"})`);
  const { model, usage } = read.data;
  return done({
    text: message.content,
    model: model ?? asked,
    usage: { inputTokens: usage?.prompt_tokens ?? null, outputTokens: usage?.completion_tokens ?? null },
    finishReason: finish_reason ?? null,
  } satisfies Completion);
}

/** The vector of the one text that was sent. */
export function readEmbedding(body: unknown, asked: string): StepOutcome {
  const read = vectors.safeParse(body);
  if (!read.success) return explain(body, "it holds no embedding");
  const [{ embedding }] = read.data.data;
  const { model, usage } = read.data;
  const output: Embedding = { embedding, model: model ?? asked, usage: { inputTokens: usage?.prompt_tokens ?? null } };
  return done(output);
}

function explain(body: unknown, what: string): StepOutcome {
  const told = problem.safeParse(body);
  return malformed(name, told.success ? told.data.error.message : what);
}
