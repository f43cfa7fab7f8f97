import { describe, expect, it } from "vitest";
import { bindNode, checkNode, outputOf, runNode } from "../../test/support/run-node.ts";
import { defaultLimits } from "../contract/limits.ts";
import type { ConnectorCalls } from "../engine/connector.ts";
import { type StepError, type StepOutcome, done } from "../engine/node.ts";
import { llmPresets } from "./llm-presets.ts";
import { llm } from "./llm.ts";

const data = { provider: "openai", model: "gpt-4.1-mini", userPromptTemplate: "Say {{action_input.word}}" };
const outputs = { action_input: { word: "hello", model: "other" } };
const answer = {
  text: "hello",
  model: "gpt-4.1-mini-2025",
  usage: { inputTokens: 3, outputTokens: 1 },
  finishReason: "stop",
};

/** Calls that answer so, and what they were asked. */
function answering(outcome: StepOutcome) {
  const asked: unknown[] = [];
  const run: ConnectorCalls["run"] = async (request) => {
    asked.push(request);
    return outcome;
  };
  return { asked, around: { outputs, calls: { run } } };
}

function failing(error: StepError) {
  return answering({ kind: "fail", error }).around;
}

describe("llm", () => {
  it("asks its provider and puts out the text, the usage, and what was asked of whom", async () => {
    const { asked, around } = answering(done(answer));
    const config = { ...data, systemPrompt: "Be brief", temperature: 0.2, maxTokens: 5, connectionId: "c1" };
    expect(await outputOf(llm, config, around)).toEqual({
      text: "hello",
      usage: { inputTokens: 3, outputTokens: 1 },
      model: "gpt-4.1-mini",
      provider: "openai",
      durationMs: 0,
    });
    const input = { model: "gpt-4.1-mini", prompt: "Say hello", system: "Be brief", temperature: 0.2, maxTokens: 5 };
    expect(asked).toEqual([
      { connector: "openai", operation: "complete", connectionId: "c1", input, timeoutMs: 60_000 },
    ]);
  });

  it("a preset is a system prompt, its own one wins, and without either there is none", async () => {
    const systems = [];
    for (const extra of [{ preset: "summarize" }, { preset: "summarize", systemPrompt: "Own" }, {}]) {
      const { asked, around } = answering(done(answer));
      await outputOf(llm, { ...data, ...extra }, around);
      systems.push((asked[0] as { input: { system?: string } }).input.system);
    }
    expect(systems).toEqual([llmPresets.summarize, "Own", undefined]);
  });

  it("a prompt that is no text goes as JSON, and the model may be a template", async () => {
    const { asked, around } = answering(done(answer));
    await outputOf(llm, { ...data, model: "{{action_input.model}}", userPromptTemplate: "{{action_input}}" }, around);
    expect(asked[0]).toMatchObject({ input: { model: "other", prompt: '{"word":"hello","model":"other"}' } });
  });

  it.each([
    [{ userPromptTemplate: " {{action_input.gone}} " }, "userPromptTemplate"],
    [{ model: "{{action_input.gone}}" }, "model"],
  ])("nothing is asked when nothing is left to send: %j", async (extra, field) => {
    const outcome = await runNode(llm, { ...data, ...extra }, { outputs });
    expect(outcome).toMatchObject({ error: { code: "VALIDATION_ERROR", message: expect.stringContaining(field) } });
  });

  const failures: [given: StepError, error: Partial<StepError>][] = [
    [
      { code: "TIMEOUT", message: "late" },
      { code: "LLM_TIMEOUT", retryable: true, message: expect.stringContaining("60 s") },
    ],
    [
      { code: "RATE_LIMITED", message: "busy", retryable: true, retryAfterMs: 7000, details: { status: 429 } },
      { code: "LLM_FAILED", retryable: true, retryAfterMs: 7000, details: { status: 429, cause: "RATE_LIMITED" } },
    ],
    [
      { code: "UPSTREAM_ERROR", message: "down" },
      { code: "LLM_FAILED", retryable: true, details: { cause: "UPSTREAM_ERROR" } },
    ],
    [
      { code: "AUTH_EXPIRED", message: "key" },
      { code: "LLM_FAILED", retryable: false, message: "key" },
    ],
    [
      { code: "VALIDATION_ERROR", message: "no" },
      { code: "LLM_FAILED", retryable: false },
    ],
    [
      { code: "UNKNOWN", message: "?" },
      { code: "LLM_FAILED", retryable: false, details: { cause: "UNKNOWN" } },
    ],
    [
      { code: "UPSTREAM_ERROR", message: "open", retryAfterMs: 9, details: { circuit: "open" } },
      { code: "UPSTREAM_ERROR", retryAfterMs: 9, details: { circuit: "open" } },
    ],
  ];

  it.each(failures)("%j is its failure", async (given, error) => {
    expect(await runNode(llm, data, failing(given))).toMatchObject({ kind: "fail", error });
  });

  it("an answer without a text is no answer", async () => {
    const { around } = answering(done({ text: 5 }));
    expect(await runNode(llm, data, around)).toMatchObject({ error: { code: "LLM_FAILED", retryable: false } });
  });

  it("may be repeated after a crash, and is watched 5 s longer than its call may take", () => {
    const bound = bindNode(llm, data);
    expect(bound.effects).toBe("idempotent");
    expect(bound.timeoutMs(defaultLimits)).toBe(65_000);
    expect(bound.timeoutMs({ ...defaultLimits, llmTimeoutSeconds: 120 })).toBe(125_000);
  });

  const findings: [extra: object, finding: RegExp][] = [
    [{ provider: "other" }, /^error \/provider/],
    [{ provider: "anthropic", temperature: 1.5 }, /^error \/temperature/],
    [{ temperature: 2.5 }, /^error \/temperature/],
    [{ maxTokens: 0 }, /^error \/maxTokens/],
    [{ preset: "poem" }, /^error \/preset/],
    [{ preset: "rewrite", systemPrompt: "x" }, /^warning \/preset/],
    [{ userPromptTemplate: "{{}}" }, /^error \/userPromptTemplate/],
    [{ prompt: "x" }, /^warning \/prompt/],
  ];

  it.each(findings)("publishing says of %j: %s", (extra, finding) => {
    expect(checkNode(llm, { ...data, ...extra })).toEqual([expect.stringMatching(finding)]);
  });
});
