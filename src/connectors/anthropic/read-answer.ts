import * as z from "zod";
import { type StepOutcome, done } from "../../engine/node.ts";
import type { Completion } from "../models/completion.ts";
import { malformed, refused } from "../models/model-failure.ts";

const name = "Anthropic";
const message = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  model: z.string().nullish(),
  stop_reason: z.string().nullish(),
  usage: z.object({ input_tokens: z.number().nullish(), output_tokens: z.number().nullish() }).nullish(),
});

/** The texts of a message, one behind the other. A model that refuses is a failure: there is no answer to go on with. */
export function readMessage(answer: unknown, asked: string): StepOutcome {
  const read = message.safeParse(answer);
  if (!read.success) return malformed(name, "it is no message");
  const { content, model, stop_reason, usage } = read.data;
  if (stop_reason === "refusal") return refused(name, null);
  const text = content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("");
  return done({
    text,
    model: model ?? asked,
    usage: { inputTokens: usage?.input_tokens ?? null, outputTokens: usage?.output_tokens ?? null },
    finishReason: stop_reason ?? null,
  } satisfies Completion);
}
