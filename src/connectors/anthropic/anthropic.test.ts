import { expect, it, vi } from "vitest";
import { ModelAsker } from "../../../test/support/ask-model.ts";
import { callOperation, connection } from "../../../test/support/call-operation.ts";
import { type ModelAnswer, answering, breakOff, modelServer } from "../../../test/support/model-server.ts";
import { anthropic } from "./anthropic.ts";

const key = "sk-ant-canary-0123456789abcdef";
const question = {
  model: "claude-haiku-4-5",
  prompt: "What is it?",
  system: "Be brief",
  temperature: 0.5,
  maxTokens: 10,
};
const asker = new ModelAsker(anthropic, key, question);

it("creates a message at the connection's address, with its key, and gives the text and the usage", async () => {
  const server = await modelServer();
  expect(await asker.ask(server)).toEqual({
    kind: "done",
    output: {
      text: "Hello",
      model: "claude-haiku-4-5",
      usage: { inputTokens: 25, outputTokens: 15 },
      finishReason: "end_turn",
    },
  });
  const [request] = server.requests;
  expect(request?.path).toBe("/v1/messages");
  expect(request?.body).toEqual({
    model: "claude-haiku-4-5",
    max_tokens: 10,
    messages: [{ role: "user", content: "What is it?" }],
    system: "Be brief",
    temperature: 0.5,
  });
  expect(request?.headers).toMatchObject({ "x-api-key": key, "anthropic-version": "2023-06-01" });
});

it("has a limit of tokens where the step has none, for the API wants one; one of hours is passed on", async () => {
  const server = await modelServer();
  await asker.ask(server, { model: "m", prompt: "p" });
  expect(server.requests[0]?.body).toMatchObject({ max_tokens: 4096 });
  expect(await asker.ask(server, { ...question, maxTokens: 128_000 })).toMatchObject({ kind: "done" });
});

it("nothing of the environment reaches a server that a connection names", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-of-the-environment");
  vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "token-of-the-environment");
  vi.stubEnv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1");
  vi.stubEnv("ANTHROPIC_CUSTOM_HEADERS", "x-mine: header-of-the-environment");
  const server = await modelServer();
  await asker.ask(server, question, { api_key: "" });
  vi.unstubAllEnvs();
  expect(server.requests[0]?.headers).not.toHaveProperty("x-api-key");
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
  expect(JSON.stringify(server.requests[0]?.headers)).not.toMatch(/of-the-environment|stainless|traceparent/);
});

it("Anthropic itself is sent the key in its own header alone", async () => {
  const sent: Headers[] = [];
  const record: typeof fetch = async (_, init) => {
    sent.push(new Headers(init?.headers));
    throw new Error("no network");
  };
  const open = connection(anthropic, {}, { api_key: key });
  await callOperation(anthropic, "complete", question, { connection: open, fetch: record });
  expect(sent[0]?.get("x-api-key")).toBe(key);
  expect(sent[0]?.has("authorization")).toBe(false);
});

function problem(type: string, message: string) {
  return { type: "error", error: { type, message }, request_id: "req_011CSHoEeqs5C35K2UUqR7Fy" };
}

const failures: [what: string, answer: ModelAnswer, error: Record<string, unknown>][] = [
  [
    "429",
    answering(429, problem("rate_limit_error", "Too many tokens"), { "retry-after": "7" }),
    { code: "RATE_LIMITED", retryable: true, retryAfterMs: 7000, message: expect.stringContaining("Too many tokens") },
  ],
  [
    "a wrong key",
    answering(401, problem("authentication_error", `invalid x-api-key ${key}`)),
    { code: "AUTH_EXPIRED", message: expect.stringContaining("[REDACTED_TOKEN]") },
  ],
  ["a wrong request", answering(400, problem("invalid_request_error", "no")), { code: "VALIDATION_ERROR" }],
  ["529", answering(529, problem("overloaded_error", "Overloaded")), { code: "UPSTREAM_ERROR", retryable: true }],
  ["a connection that ends in the middle", breakOff, { code: "UPSTREAM_ERROR", retryable: true }],
  ["HTML", (response) => response.end("<html>"), { code: "UNKNOWN" }],
  ["no content", answering(200, { type: "message" }), { code: "UNKNOWN" }],
  [
    "a refusal",
    answering(200, { content: [], stop_reason: "refusal" }),
    { code: "UNKNOWN", message: expect.stringContaining("refused") },
  ],
];

it.each(failures)("%s is a failure that says so, and is asked for once", async (_, answer, error) => {
  const { outcome, requests } = await asker.askFor(answer);
  expect(outcome).toMatchObject({ kind: "fail", error });
  expect(JSON.stringify(outcome)).not.toContain(key);
  expect(requests).toHaveLength(1);
});

it("a connection's test lists the models", async () => {
  expect(await asker.test(await modelServer())).toMatchObject({ output: { models: ["gpt-4.1", "gpt-4.1-mini"] } });
});
