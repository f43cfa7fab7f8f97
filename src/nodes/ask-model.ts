import { isRecord } from "../engine/values/json.ts";
import { type NodeContext, type StepError, type StepLimits, type StepOutcome, fail } from "../engine/node.ts";

export type Question = {
  provider: string;
  connectionId: string | null;
  model: string;
  prompt: string;
  system: string | null;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
};

export type ModelAnswer = { text: string; usage: { inputTokens: number | null; outputTokens: number | null } };

/** What an LLM's watchdog leaves to the call's own limit, so that the call ends first and says LLM_TIMEOUT (contract 5). */
const graceMs = 5000;

/** The watchdog of a step that asks a model once. */
export function modelWatchdogMs({ llmTimeoutSeconds }: StepLimits): number {
  return llmTimeoutSeconds * 1000 + graceMs;
}

/**
 * Asks a model one question. A failure has the codes of spec 2.8: LLM_TIMEOUT past the limit, else LLM_FAILED, which is
 * worth a retry when the provider was busy or down (contract 5). Only an open circuit keeps its own code.
 */
export async function askModel(
  { calls, limits }: Pick<NodeContext<unknown>, "calls" | "limits">,
  { provider, connectionId, model, prompt, system, temperature, maxTokens }: Question,
): Promise<{ answer: ModelAnswer } | { error: StepError }> {
  const outcome = await calls.run({
    connector: provider,
    operation: "complete",
    connectionId,
    input: {
      model,
      prompt,
      ...(system !== null && { system }),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
    },
    timeoutMs: limits.llmTimeoutSeconds * 1000,
  });
  if (outcome.kind === "fail") return { error: modelError(outcome.error, provider, limits) };
  const answer = outcome.kind === "done" ? readAnswer(outcome.output) : null;
  if (answer) return { answer };
  return { error: { code: "LLM_FAILED", message: `${provider} gave an answer without text`, retryable: false } };
}

function readAnswer(output: unknown): ModelAnswer | null {
  if (!isRecord(output) || typeof output["text"] !== "string") return null;
  const usage = isRecord(output["usage"]) ? output["usage"] : {};
  return {
    text: output["text"],
    usage: { inputTokens: count(usage["inputTokens"]), outputTokens: count(usage["outputTokens"]) },
  };
}

function count(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function modelError(error: StepError, provider: string, { llmTimeoutSeconds }: StepLimits): StepError {
  if (error.code === "TIMEOUT") {
    const message = `${provider} did not answer within ${llmTimeoutSeconds} s (limits.llmTimeoutSeconds)`;
    return { code: "LLM_TIMEOUT", message, retryable: true };
  }
  if (error.details?.["circuit"] === "open") return error;
  const isBusy = error.code === "RATE_LIMITED" || error.code === "UPSTREAM_ERROR";
  const { retryAfterMs } = error;
  return {
    code: "LLM_FAILED",
    message: error.message,
    retryable: isBusy,
    ...(isBusy && retryAfterMs !== undefined && { retryAfterMs }),
    details: { ...error.details, cause: error.code },
  };
}

/** The failure of a step whose template left it without something to send. */
export function nothingToSend(field: string): StepOutcome {
  return fail("VALIDATION_ERROR", `${field} is empty once its templates are resolved; check their paths`);
}
