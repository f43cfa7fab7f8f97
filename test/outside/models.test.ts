import { expect, it, vi } from "vitest";
import type { EventPage } from "../../src/contract/journal.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import { answering, breakOff, hang, modelServer } from "../support/model-server.ts";
import { RunDriver } from "../support/run-driver.ts";
import { type RuntimeOptions, type TestRuntime, testRuntime } from "../support/runtime.ts";

const key = "sk-canary-7f3a9b1c5d2e";

/** A callable workflow of these nodes in a row, whose input is one text and one list. */
function inARow(...nodes: string[]): string {
  const input = "{properties: [{name: text, type: string, default: hello}, {name: list, type: array, default: []}]}";
  const ids = nodes.map((node) => /id: (\w+)/.exec(node)?.[1] ?? "");
  const all = [
    `{id: action_input, type: action_input, data: ${input}}`,
    ...nodes,
    "{id: out, type: return_output, data: {}}",
  ];
  const edges = ["action_input", ...ids, "out"]
    .slice(1)
    .map((id, index) => `${["action_input", ...ids][index]} -> ${id}`);
  return `name: Ask\nslug: ask\nnodes:\n${all.map((node) => `  - ${node}\n`).join("")}edges: [${edges.join(", ")}]\n`;
}

type Parts = { options?: RuntimeOptions; provider?: string; settings?: object; connection?: object };

/** A runtime with a connection to a stand-in. */
async function withModels({ options = {}, provider = "openai", settings = {}, connection = {} }: Parts = {}) {
  const server = await modelServer();
  const test = await testRuntime(options);
  const given = { baseUrl: server.baseUrl, allowPrivateNetwork: true, ...settings };
  const request = { name: "models", connector: provider, settings: given, secrets: { api_key: key }, ...connection };
  const { status, body } = await test.control<{ id: string }>("POST", "/control/connections", request);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { server, test, driver: new RunDriver(test), id: body.id, provider };
}
type Models = Awaited<ReturnType<typeof withModels>>;

function askNode({ id, provider }: Pick<Models, "id" | "provider">, extra = ""): string {
  return `{id: ask, type: llm, data: {provider: ${provider}, model: m1, userPromptTemplate: "{{action_input.text}}", connectionId: ${id}${extra}}}`;
}

/** Starts a run and waits until the stand-in has been asked. */
async function startAsking({ driver, server }: Models, count = 1): Promise<string> {
  const id = await driver.start("ask");
  await vi.waitFor(() => expect(server.requests).toHaveLength(count));
  return id;
}

/** The run when it has ended. */
async function ended(test: TestRuntime, id: string): Promise<RunDetail> {
  return (await test.get<RunDetail>(`/runs/${id}?wait=20`)).body;
}

it.each([
  ["openai", "refund", "/v1/chat/completions", { inputTokens: 19, outputTokens: 10 }],
  ["anthropic", "Hello", "/v1/messages", { inputTokens: 25, outputTokens: 15 }],
])("an LLM step asks %s over its connection; the key is in no record", async (provider, text, path, usage) => {
  const models = await withModels({ provider });
  const { test, server } = models;
  await test.publish(inARow(askNode(models)));
  const run = await test.runToEnd("ask", { text: "What is it?" });
  expect(run).toMatchObject({ status: "succeeded", output: { text, usage, model: "m1", provider } });
  expect(server.requests.map((request) => request.path)).toEqual([path]);
  expect(JSON.stringify(server.requests[0]?.headers)).toContain(key);
  const { body: events } = await test.get<EventPage>(`/runs/${run.run_id}/events`);
  expect(JSON.stringify([run, events, test.logged])).not.toContain(key);
});

it("a key that the provider repeats in its error is in no record", async () => {
  const models = await withModels();
  const { test, server } = models;
  await test.publish(inARow(askNode(models)));
  server.next.push(answering(401, { error: { message: `Incorrect API key provided: ${key}` } }));
  const run = await test.runToEnd("ask");
  expect(run).toMatchObject({
    status: "failed",
    error: { code: "LLM_FAILED", retryable: false, step_id: "ask", details: { status: 401, cause: "AUTH_EXPIRED" } },
  });
  const { body: events } = await test.get<EventPage>(`/runs/${run.run_id}/events`);
  expect(JSON.stringify([run, events, test.logged])).not.toContain(key);
});

it("without a connection and a key in the environment the step says what to do", async () => {
  const { test } = await withModels();
  await test.publish(inARow("{id: ask, type: llm, data: {provider: anthropic, model: m1, userPromptTemplate: hi}}"));
  expect((await test.runToEnd("ask")).error).toMatchObject({
    code: "LLM_FAILED",
    message: expect.stringContaining("ANTHROPIC_API_KEY"),
  });
});

it("an answer that stops in the middle ends in LLM_TIMEOUT after 60 s, the run failed, and the connection closed", async () => {
  const models = await withModels();
  const { test, server, driver } = models;
  await test.publish(inARow(askNode(models)));
  server.next.push(hang);
  const id = await startAsking(models);
  expect((await driver.after(59_999, id)).status).toBe("running");
  test.clock.advance(1);
  expect(await ended(test, id)).toMatchObject({ status: "failed", error: { code: "LLM_TIMEOUT", step_id: "ask" } });
  await vi.waitFor(() => expect(server.broken).toBe(1));
});

it("limits.llmTimeoutSeconds moves the limit, and the step's watchdog with it", async () => {
  const models = await withModels({ options: { limits: { llmTimeoutSeconds: 120 } } });
  const { test, server, driver } = models;
  await test.publish(inARow(askNode(models)));
  server.next.push(hang);
  const id = await startAsking(models);
  expect((await driver.after(119_000, id)).status).toBe("running");
  test.clock.advance(1000);
  expect((await ended(test, id)).error).toMatchObject({ code: "LLM_TIMEOUT" });
});

it("429 is asked again when the provider says, as the second attempt", async () => {
  const models = await withModels();
  const { test, server, driver } = models;
  await test.publish(inARow(askNode(models, ", maxRetries: 1")));
  server.next.push(answering(429, { error: { message: "slow down" } }, { "retry-after": "7" }));
  const id = await startAsking(models);
  await vi.waitFor(async () => expect(JSON.stringify(await test.store.listRunDue(id))).toContain("LLM_FAILED"));
  await driver.after(6900, id);
  expect(server.requests).toHaveLength(1);
  test.clock.advance(200);
  expect(await ended(test, id)).toMatchObject({ status: "succeeded", output: { text: "refund" } });
  const second = (await driver.entries(id)).find((entry) => entry.error);
  expect(second).toMatchObject({
    attempt: 2,
    error: { code: "LLM_FAILED", retryable: true, retryAfterMs: 7000, details: { status: 429, cause: "RATE_LIMITED" } },
  });
});

it.each([
  ["a connection that closes in the middle of the body", breakOff, { retryable: true }],
  ["an answer that is none", answering(200, { hello: "world" }), { retryable: false }],
  ["500", answering(500, { error: { message: "oops" } }), { retryable: true }],
])("%s is LLM_FAILED at once", async (_, answer, error) => {
  const models = await withModels();
  const { test, server } = models;
  await test.publish(inARow(askNode(models)));
  server.next.push(answer);
  expect(await test.runToEnd("ask")).toMatchObject({ status: "failed", error: { code: "LLM_FAILED", ...error } });
});

it.each([
  ["cancel", async ({ test }: Models, id: string) => test.post(`/runs/${id}/cancel`), "cancelled"],
  ["the pipeline's time-out", async ({ test }: Models) => test.clock.advance(40_000), "timed_out"],
])("%s closes the connection of a call under way", async (_, act, status) => {
  const models = await withModels({ options: { limits: { pipelineTimeoutSeconds: 40 } } });
  const { test, server } = models;
  await test.publish(inARow(askNode(models)));
  server.next.push(hang);
  const id = await startAsking(models);
  await act(models, id);
  expect((await ended(test, id)).status).toBe(status);
  await vi.waitFor(() => expect(server.broken).toBe(1));
});

it("a call that a stop of the daemon broke off is made again", async () => {
  const models = await withModels();
  const { test, server } = models;
  await test.publish(inARow(askNode(models)));
  server.next.push(hang);
  const id = await startAsking(models);
  await test.restart();
  expect(await ended(test, id)).toMatchObject({ status: "succeeded", output: { text: "refund" } });
  expect(server.requests).toHaveLength(2);
});

it("a loop asks once for each item, in order", async () => {
  const models = await withModels();
  const { test, server } = models;
  const each = askNode(models).replace("{{action_input.text}}", "Classify {{item}}");
  const loop = 'nodes:\n  - {id: each, type: loop, data: {items: "{{action_input.list}}"}}\n';
  const text = inARow(each).replace("nodes:\n", loop);
  await test.publish(text.replace(/edges: .*/, "edges: [action_input -> each, each.loop -> ask, each.done -> out]"));
  const run = await test.runToEnd("ask", { list: ["a", "b", "c", "d", "e"] });
  expect(run).toMatchObject({ status: "succeeded", output: { totalItems: 5 } });
  const prompts = server.requests.map(({ body }) => (body["messages"] as { content: string }[])[0]?.content);
  expect(prompts).toEqual(["a", "b", "c", "d", "e"].map((item) => `Classify ${item}`));
});

it("after five failures the provider is not asked for 30 s", async () => {
  const models = await withModels();
  const { test, server } = models;
  await test.publish(inARow(askNode(models)), {});
  for (let count = 0; count < 5; count++) {
    server.next.push(answering(503, { error: { message: "overloaded" } }));
    expect((await test.runToEnd("ask")).error).toMatchObject({ code: "LLM_FAILED" });
  }
  expect((await test.runToEnd("ask")).error).toMatchObject({ code: "UPSTREAM_ERROR", details: { circuit: "open" } });
  expect(server.requests).toHaveLength(5);
  test.clock.advance(30_000);
  expect((await test.runToEnd("ask")).status).toBe("succeeded");
});

it("a connection that asks for approval gates the steps that ask through it", async () => {
  const models = await withModels({ connection: { require_approval: true } });
  const { test, server, driver } = models;
  await test.publish(inARow(askNode(models)));
  const id = await driver.start("ask");
  await vi.waitFor(async () => expect(await driver.status(id)).toBe("waiting_for_approval"));
  expect(server.requests).toEqual([]);
  await driver.decide(id, "approved");
  expect(await ended(test, id)).toMatchObject({ status: "succeeded", output: { text: "refund" } });
});

it("publishing refuses a connection that is not there, or is another provider's", async () => {
  const { test, id } = await withModels();
  const publish = async (node: string): Promise<string> =>
    test.publish(inARow(node)).then(
      () => "published",
      (error: Error) => error.message,
    );
  expect(await publish(askNode({ id: "nowhere", provider: "openai" }))).toContain("unknown_connection");
  expect(await publish(askNode({ id, provider: "anthropic" }))).toContain("wrong_connection");
});

it("a connection's test lists the models that it leads to", async () => {
  const { test, id } = await withModels();
  const { body } = await test.control("POST", `/control/connections/${id}/test`);
  expect(JSON.stringify(body)).not.toContain(key);
  expect(body).toMatchObject({ ok: true });
});

/** A search in the stand-in's collection. */
function searchNode({ id, server }: Models, extra = ""): string {
  const url = `${server.origin}/collections/handbook/points/search`;
  const body = "{vector: '{{embedding}}', limit: '{{topK}}', with_payload: true}";
  return `{id: search, type: rag_retrieve, data: {query: "{{action_input.text}}", vectorStoreUrl: "${url}", bodyTemplate: ${body}, embeddingConnectionId: ${id}${extra}}}`;
}

/** Lets the runtime call the stand-in as a vector store. */
async function allowing(): Promise<Models> {
  const outside = { egress: { allow: ["127.0.0.1"], allowPrivateNetworks: false } };
  return withModels({ options: { outside } });
}

it("RAG embeds, searches and answers from what was found, all on one machine", async () => {
  const models = await allowing();
  const { test, server } = models;
  await test.publish(inARow(searchNode(models, ", topK: 2, llmModel: m1, headers: {api-key: store-key}")));
  expect(await test.runToEnd("ask", { text: "How long do refunds take?" })).toMatchObject({
    status: "succeeded",
    output: {
      query: "How long do refunds take?",
      retrievedDocuments: [{ id: 7, score: 0.91, content: "Refunds take five days." }, { id: 2 }],
      documentCount: 2,
      llmResponse: "refund",
      model: "m1",
      embeddingModel: "text-embedding-3-small",
    },
  });
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/v1/embeddings",
    "/collections/handbook/points/search",
    "/v1/chat/completions",
  ]);
  const [, search] = server.requests;
  expect(search?.body).toEqual({ vector: [0.25, -0.5, 1], limit: 2, with_payload: true });
  expect(search?.headers).toMatchObject({ "api-key": "store-key" });
  expect(JSON.stringify(search?.headers)).not.toContain(key);
});

it("a vector store on this machine is out of reach unless the settings allow it, whatever the connection may reach", async () => {
  const models = await withModels();
  const { test, server } = models;
  await test.publish(inARow(searchNode(models)));
  expect((await test.runToEnd("ask")).error).toMatchObject({
    code: "VALIDATION_ERROR",
    message: expect.stringContaining("egress.allow"),
  });
  expect(server.requests.map(({ path }) => path)).toEqual(["/v1/embeddings"]);
});

it("under continueOnFailure what was found goes on, with the error", async () => {
  const models = await allowing();
  const { test, server, driver } = models;
  await test.publish(inARow(searchNode(models, ", llmModel: m1, continueOnFailure: true")));
  server.overrides.set("/v1/chat/completions", answering(400, { error: { message: "no such model" } }));
  const run = await test.runToEnd("ask");
  const code = "LLM_FAILED";
  expect(run).toMatchObject({
    status: "succeeded",
    output: { documentCount: 2, llmResponse: null, error: { code, message: expect.stringContaining("no such model") } },
  });
  expect(await driver.journal(run.run_id)).toContain("step_failed_continued search");
});

it.each([
  ["", "timed_out", { code: "TIMEOUT" }, null],
  [
    ", continueOnFailure: true",
    "succeeded",
    null,
    { documentCount: 0, retrievedDocuments: [], error: { code: "TIMEOUT" } },
  ],
])("a search that takes longer than 30 s is cut off%s", async (extra, status, error, output) => {
  const models = await allowing();
  const { test, server, driver } = models;
  await test.publish(inARow(searchNode(models, extra)));
  server.overrides.set("/collections/handbook/points/search", hang);
  const id = await startAsking(models, 2);
  expect((await driver.after(29_999, id)).status).toBe("running");
  test.clock.advance(1);
  const run = await ended(test, id);
  expect(run.status).toBe(status);
  if (error) expect(run.error).toMatchObject(error);
  if (output) expect(run.output).toMatchObject(output);
  await vi.waitFor(() => expect(server.broken).toBe(1));
});
