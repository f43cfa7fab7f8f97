import { expect, it, vi } from "vitest";
import { ModelAsker } from "../../../test/support/ask-model.ts";
import { callOperation, connection } from "../../../test/support/call-operation.ts";
import { type ModelAnswer, answering, breakOff, modelServer, vector } from "../../../test/support/model-server.ts";
import { openai } from "./openai.ts";

const key = "sk-canary-0123456789abcdef";
const question = { model: "gpt-4.1-mini", prompt: "What is it?", system: "Be brief", temperature: 0, maxTokens: 10 };
const asker = new ModelAsker(openai, key, question);

it("asks for a chat completion at the connection's address, with its key, and gives the text and the usage", async () => {
  const server = await modelServer();
  expect(await asker.ask(server)).toEqual({
    kind: "done",
    output: {
      text: "refund",
      model: "gpt-4.1-mini-2025-04-14",
      usage: { inputTokens: 19, outputTokens: 10 },
      finishReason: "stop",
    },
  });
  const [request] = server.requests;
  expect(request?.path).toBe("/v1/chat/completions");
  expect(request?.body).toEqual({
    model: "gpt-4.1-mini",
    messages: [
      { role: "system", content: "Be brief" },
      { role: "user", content: "What is it?" },
    ],
    temperature: 0,
    max_tokens: 10,
  });
  expect(request?.headers).toMatchObject({ authorization: `Bearer ${key}`, "idempotency-key": "run-1:ask" });
});

it("a slash at the end of the address changes nothing, and a server without keys is sent none", async () => {
  const server = await modelServer();
  const bare = connection(openai, { baseUrl: `${server.baseUrl}/` });
  const outcome = await callOperation(openai, "complete", { model: "m", prompt: "p" }, { connection: bare });
  expect(outcome.kind).toBe("done");
  expect(server.requests[0]?.path).toBe("/v1/chat/completions");
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});

it("without a connection and without a key in the environment nothing is sent, and the failure says what to do", async () => {
  const outcome = await callOperation(openai, "complete", question);
  expect(outcome).toMatchObject({
    error: { code: "VALIDATION_ERROR", message: expect.stringContaining("OPENAI_API_KEY") },
  });
});

it("nothing of the environment reaches a server that a connection names", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-of-the-environment");
  vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
  vi.stubEnv("OPENAI_ORG_ID", "org-of-the-environment");
  vi.stubEnv("OPENAI_CUSTOM_HEADERS", "x-mine: header-of-the-environment");
  const server = await modelServer();
  await asker.ask(server, question, { api_key: "" });
  vi.unstubAllEnvs();
  expect(JSON.stringify(server.requests[0]?.headers)).not.toMatch(/of-the-environment|stainless/);
});

it("OpenAI itself is asked with the name for the limit that its newest models take", async () => {
  const sent: { url: unknown; body: unknown }[] = [];
  const record: typeof fetch = async (url, init) => {
    sent.push({ url, body: await new Response(init?.body).json() });
    throw new Error("no network");
  };
  await callOperation(openai, "complete", question, {
    connection: connection(openai, {}, { api_key: key }),
    fetch: record,
  });
  expect(sent[0]?.url).toBe("https://api.openai.com/v1/chat/completions");
  expect(sent[0]?.body).toMatchObject({ max_completion_tokens: 10 });
});

const quota = { error: { message: "Rate limit reached", type: "requests", param: null, code: "rate_limit_exceeded" } };
const noKey = {
  error: { message: `Incorrect API key provided: ${key}.`, type: "invalid_request_error", code: "invalid_api_key" },
};
const refusal = {
  choices: [{ index: 0, message: { role: "assistant", content: null, refusal: "I can't" }, finish_reason: "stop" }],
};

const failures: [what: string, answer: ModelAnswer, error: Record<string, unknown>][] = [
  ["429", answering(429, quota, { "retry-after": "7" }), { code: "RATE_LIMITED", retryable: true, retryAfterMs: 7000 }],
  [
    "429 until a moment",
    answering(429, quota, { "retry-after": "Sat, 21 Nov 2026 10:00:20 GMT", date: "Sat, 21 Nov 2026 10:00:00 GMT" }),
    { code: "RATE_LIMITED", retryAfterMs: 20_000 },
  ],
  [
    "a wrong key",
    answering(401, noKey),
    { code: "AUTH_EXPIRED", message: expect.stringContaining("[REDACTED_TOKEN]") },
  ],
  ["a wrong request", answering(400, { error: { message: "no such model" } }), { code: "VALIDATION_ERROR" }],
  [
    "500",
    answering(500, { error: { message: "The server had an error" } }),
    { code: "UPSTREAM_ERROR", retryable: true },
  ],
  [
    "503 in HTML",
    (response) => response.writeHead(503, { "retry-after": "3" }).end("<html>"),
    { code: "UPSTREAM_ERROR", retryAfterMs: 3000 },
  ],
  ["a connection that ends in the middle", breakOff, { code: "UPSTREAM_ERROR", retryable: true }],
  ["a connection that ends at once", (response) => response.destroy(), { code: "UPSTREAM_ERROR", retryable: true }],
  [
    "broken JSON",
    (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"choices":'),
    { code: "UNKNOWN" },
  ],
  ["HTML", (response) => response.end("<html>"), { code: "UNKNOWN" }],
  ["nothing", (response) => response.writeHead(204).end(), { code: "UNKNOWN" }],
  ["no choice", answering(200, { choices: [] }), { code: "UNKNOWN" }],
  ["no text", answering(200, { choices: [{ message: { content: null } }] }), { code: "UNKNOWN" }],
  ["a refusal", answering(200, refusal), { code: "UNKNOWN", message: expect.stringContaining("I can't") }],
  [
    "an error as a success",
    answering(200, { error: { message: "model is loading" } }),
    { message: expect.stringContaining("model is loading") },
  ],
];

it.each(failures)("%s is a failure that says so, and is asked for once", async (_, answer, error) => {
  const { outcome, requests } = await asker.askFor(answer);
  expect(outcome).toMatchObject({ kind: "fail", error });
  expect(JSON.stringify(outcome)).not.toContain(key);
  expect(requests).toHaveLength(1);
});

it("an answer without usage has counts of null", async () => {
  const server = await modelServer();
  server.next.push(answering(200, { choices: [{ message: { role: "assistant", content: "" } }] }));
  expect(await asker.ask(server)).toMatchObject({
    output: { text: "", usage: { inputTokens: null, outputTokens: null } },
  });
});

it("JSON that does not say so is understood", async () => {
  const server = await modelServer();
  server.next.push((response) => response.end('{"choices": [{"message": {"content": "yes"}}]}'));
  expect(await asker.ask(server)).toMatchObject({ output: { text: "yes", model: "gpt-4.1-mini" } });
});

it("the signal closes the connection of a request under way", async () => {
  const server = await modelServer();
  const abort = new AbortController();
  server.next.push(() => abort.abort());
  const open = connection(openai, { baseUrl: server.baseUrl });
  const outcome = await callOperation(openai, "complete", question, { connection: open, signal: abort.signal });
  expect(outcome.kind).toBe("fail");
  await vi.waitFor(() => expect(server.broken).toBe(1));
});

it("embeds a text as numbers", async () => {
  const server = await modelServer();
  const open = connection(openai, { baseUrl: server.baseUrl }, { api_key: key });
  const input = { model: "text-embedding-3-small", input: "refunds" };
  expect(await callOperation(openai, "embed", input, { connection: open })).toEqual({
    kind: "done",
    output: { embedding: vector, model: "text-embedding-3-small", usage: { inputTokens: 8 } },
  });
  expect(server.requests[0]).toMatchObject({ path: "/v1/embeddings", body: { ...input, encoding_format: "float" } });
  server.next.push(answering(200, { data: [{ embedding: "AACAPgAAAL8=" }] }));
  expect(await callOperation(openai, "embed", input, { connection: open })).toMatchObject({
    error: { code: "UNKNOWN" },
  });
});

it("a connection's test lists the models", async () => {
  const server = await modelServer();
  expect(await asker.test(server)).toEqual({
    kind: "done",
    output: { models: ["gpt-4.1", "gpt-4.1-mini"] },
  });
  server.next.push(answering(401, noKey));
  expect(await asker.test(server)).toMatchObject({ error: { code: "AUTH_EXPIRED" } });
});
