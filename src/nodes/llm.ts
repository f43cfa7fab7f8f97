import * as z from "zod";
import { type ConfigFinding, defineNode, done } from "../engine/node.ts";
import { toText } from "../engine/values/json.ts";
import { askModel, modelWatchdogMs, nothingToSend } from "./ask-model.ts";
import { llmPresetNames, llmPresets } from "./llm-presets.ts";
import { template } from "./template-field.ts";

const config = z.strictObject({
  provider: z
    .enum(["openai", "anthropic"])
    .describe("Whose protocol is spoken; a connection with a `baseUrl` leads to any server that speaks it"),
  model: z.string().min(1).describe("Name of the model, as the provider calls it"),
  userPromptTemplate: template("What the model is asked"),
  systemPrompt: z.string().min(1).optional().describe("What the model is told first"),
  preset: z
    .enum(llmPresetNames)
    .optional()
    .describe("A bundled system prompt instead of one's own; `systemPrompt` wins"),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe("How much chance there is in the answer; Anthropic: up to 1"),
  maxTokens: z
    .int()
    .min(1)
    .optional()
    .describe("The most tokens that the answer may have; default the provider's, 4096 for Anthropic"),
  connectionId: z
    .string()
    .min(1)
    .optional()
    .describe("The connection with the key; default the key in the daemon's environment"),
});

/** Asks a language model one question (spec 2.10). A repetition after a crash costs tokens and changes nothing. */
export const llm = defineNode({
  type: "llm",
  title: "LLM",
  group: "Utilities",
  summary:
    "Asks a language model. Output: `{text, usage: {inputTokens, outputTokens}, model, provider, durationMs}`; a count that the provider does not tell is `null`. Failures: `LLM_TIMEOUT` after 60 s, else `LLM_FAILED`.",
  config,
  templates: ["/model", "/userPromptTemplate/**", "/systemPrompt"],
  effects: () => "idempotent",
  reaches: ({ provider, connectionId = null }) => [
    { connector: provider, connectorPointer: "/provider", connectionId, connectionPointer: "/connectionId" },
  ],
  timeoutMs: (_, limits) => modelWatchdogMs(limits),
  check: checkPrompts,
  async run(context) {
    const { provider, model, userPromptTemplate, systemPrompt, preset, temperature, maxTokens, connectionId } =
      context.config;
    const prompt = toText(userPromptTemplate ?? null);
    if (prompt.trim() === "") return nothingToSend("userPromptTemplate");
    const modelName = toText(model ?? null);
    if (modelName === "") return nothingToSend("model");
    const startedAt = context.now().getTime();
    const system = toText(systemPrompt ?? null) || (preset ? llmPresets[preset] : null);
    const question = { provider, model: modelName, prompt, system, temperature, maxTokens };
    const asked = await askModel(context, { ...question, connectionId: connectionId ?? null });
    if ("error" in asked) return { kind: "fail", error: asked.error };
    const { text, usage } = asked.answer;
    const durationMs = Math.max(0, context.now().getTime() - startedAt);
    return done({ text, usage, model: modelName, provider, durationMs });
  },
});

function checkPrompts({ provider, systemPrompt, preset, temperature = 0 }: z.infer<typeof config>): ConfigFinding[] {
  const findings: ConfigFinding[] = [];
  if (systemPrompt !== undefined && preset !== undefined) {
    const message = "preset has no effect beside systemPrompt; remove one of them";
    findings.push({ severity: "warning", code: "unused_preset", message, pointer: "/preset" });
  }
  if (provider === "anthropic" && temperature > 1) {
    const message = "Anthropic takes a temperature from 0 to 1";
    findings.push({ severity: "error", code: "invalid_temperature", message, pointer: "/temperature" });
  }
  return findings;
}
