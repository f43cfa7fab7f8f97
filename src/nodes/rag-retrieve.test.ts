import { describe, expect, it } from "vitest";
import { bindNode, checkNode, outputOf, runNode } from "../../test/support/run-node.ts";
import type { Json } from "../contract/json.ts";
import { defaultLimits } from "../contract/limits.ts";
import type { ConnectorCalls } from "../engine/connector.ts";
import { type StepOutcome, done, fail } from "../engine/node.ts";
import { ragSystemPrompt } from "./rag-prompt.ts";
import { ragRetrieve } from "./rag-retrieve.ts";

const url = "http://127.0.0.1:6333/collections/handbook/points/search";
const data = {
  query: "{{action_input.question}}",
  vectorStoreUrl: url,
  bodyTemplate: { vector: "{{embedding}}", limit: "{{topK}}", with_payload: true },
};
const outputs = { action_input: { question: "How long?", list: "a" } };
const hits = [
  { id: 7, score: 0.91, payload: { text: "Five days." } },
  { id: 2, score: 0.64, payload: { page: 3 } },
];
const documents = [
  { ...hits[0], content: "Five days." },
  { ...hits[1], content: null },
];

type Parts = { embed?: StepOutcome; complete?: StepOutcome; store?: () => Response | Promise<Response> };

/** A world in which models and a store answer so. */
function world({ embed, complete, store = () => Response.json({ result: hits }) }: Parts = {}) {
  const asked: { operation: string; input: { [key: string]: Json } }[] = [];
  const sent: { url: unknown; headers: Record<string, string>; body: unknown }[] = [];
  const calls: Partial<ConnectorCalls> = {
    async run(request) {
      asked.push(request);
      if (request.operation === "embed") return embed ?? done({ embedding: [0.5, 1], model: "m" });
      return complete ?? done({ text: "Five days [1]", usage: {} });
    },
    fetchThrough: () => async (target, init) => {
      const headers = Object.fromEntries(new Headers(init?.headers));
      sent.push({ url: target, headers, body: await new Response(init?.body).json() });
      return store();
    },
    throughBreaker: async (_, call) => call(),
  };
  return { asked, sent, around: { outputs, calls } };
}

describe("rag_retrieve", () => {
  it("embeds the query, posts the vector to the store and puts out what it found", async () => {
    const { asked, sent, around } = world();
    expect(await outputOf(ragRetrieve, { ...data, embeddingConnectionId: "c1" }, around)).toEqual({
      query: "How long?",
      retrievedDocuments: documents,
      documentCount: 2,
      llmResponse: null,
      model: null,
      embeddingModel: "text-embedding-3-small",
      durationMs: 0,
    });
    const input = { model: "text-embedding-3-small", input: "How long?" };
    expect(asked).toEqual([{ connector: "openai", operation: "embed", connectionId: "c1", input }]);
    expect(sent).toMatchObject([{ url, body: { vector: [0.5, 1], limit: 5, with_payload: true } }]);
    expect(sent[0]?.headers).toMatchObject({ "content-type": "application/json" });
  });

  it("has a model answer from the documents, told to keep to them, over the same connection", async () => {
    const { asked, around } = world();
    const config = { ...data, embeddingConnectionId: "c1", llmModel: "gpt-4.1-mini" };
    expect(await outputOf(ragRetrieve, config, around)).toMatchObject({
      llmResponse: "Five days [1]",
      model: "gpt-4.1-mini",
    });
    expect(asked[1]).toMatchObject({
      operation: "complete",
      connectionId: "c1",
      input: { model: "gpt-4.1-mini", system: ragSystemPrompt, maxTokens: 1024 },
      timeoutMs: 60_000,
    });
    expect(asked[1]?.input["prompt"]).toMatch(/<document index="1">\nFive days\.\n[^]*Question: How long\?$/);
  });

  it("the body may be a text, in which the vector is JSON, and reads everything else too", async () => {
    const { sent, around } = world();
    const bodyTemplate = '{"q": [{{embedding}}], "k": {{topK}}, "in": "{{action_input.list}}"}';
    await outputOf(
      ragRetrieve,
      { ...data, bodyTemplate, topK: 1, headers: { "api-key": "{{action_input.list}}" } },
      around,
    );
    expect(sent[0]?.body).toEqual({ q: [[0.5, 1]], k: 1, in: "a" });
    expect(sent[0]?.headers).toMatchObject({ "api-key": "a" });
  });

  const forms: [fields: object, answer: Json, contents: Json[]][] = [
    [{ responsePath: "result.points" }, { result: { points: [{ payload: { text: "a" } }] } }, ["a"]],
    [
      { responsePath: "matches", documentContentField: "metadata.text" },
      { matches: [{ metadata: { text: "a" } }] },
      ["a"],
    ],
    [{ responsePath: "documents[0]" }, { documents: [["a", "b"]] }, ["a", "b"]],
    [{ responsePath: "" }, [{ payload: { text: "a" } }], ["a"]],
    [{ responsePath: "hits", documentContentField: "" }, { hits: [{ a: 1 }] }, [{ a: 1 }]],
    [{ topK: 1 }, { result: hits }, ["Five days."]],
  ];

  it.each(forms)("understands the form %j of %j", async (fields, answer, contents) => {
    const { around } = world({ store: () => Response.json(answer) });
    const output = await outputOf(ragRetrieve, { ...data, ...fields }, around);
    expect(output).toMatchObject({
      documentCount: contents.length,
      retrievedDocuments: contents.map((content) => ({ content })),
    });
  });

  const failures: [parts: Parts, fields: object, code: string, message: RegExp][] = [
    [{ embed: fail("RATE_LIMITED", "busy") }, {}, "RATE_LIMITED", /busy/],
    [{ embed: done({}) }, {}, "UNKNOWN", /without an embedding/],
    [{ store: () => new Response("no", { status: 503 }) }, {}, "UPSTREAM_ERROR", /vector store failed \(503\)/],
    [
      { store: () => Response.json({ status: { error: "Wrong vector size" } }, { status: 400 }) },
      {},
      "VALIDATION_ERROR",
      /Wrong vector size/,
    ],
    [{ store: () => new Response("<html>") }, {}, "UNKNOWN", /no JSON/],
    [{ store: () => Response.json({ points: [] }) }, {}, "VALIDATION_ERROR", /no list at result/],
    [{}, { bodyTemplate: "{{action_input.question}}" }, "VALIDATION_ERROR", /bodyTemplate is no JSON/],
    [{}, { headers: { "api-key": "a\nsecret" } }, "VALIDATION_ERROR", /^The header "api-key" has a name or a value/],
    [{}, { vectorStoreUrl: "{{action_input.list}}" }, "VALIDATION_ERROR", /vectorStoreUrl/],
    [{}, { query: "{{action_input.gone}}" }, "VALIDATION_ERROR", /query is empty/],
  ];

  it.each(failures)("%j with %j is a failure that says so", async (parts, fields, code, message) => {
    const outcome = await runNode(ragRetrieve, { ...data, ...fields }, world(parts).around);
    expect(outcome).toMatchObject({ kind: "fail", error: { code, message: expect.stringMatching(message) } });
  });

  it("a failure has what there is of the output, with the error", async () => {
    const { around } = world({ complete: fail("TIMEOUT", "late") });
    expect(await runNode(ragRetrieve, { ...data, llmModel: "m" }, around)).toMatchObject({
      kind: "fail",
      error: { code: "LLM_TIMEOUT" },
      output: {
        query: "How long?",
        retrievedDocuments: documents,
        documentCount: 2,
        llmResponse: null,
        model: "m",
        error: { code: "LLM_TIMEOUT", message: expect.any(String) },
      },
    });
  });

  it("is watched 30 s, and with a model 65 s more", () => {
    expect(bindNode(ragRetrieve, data).timeoutMs(defaultLimits)).toBe(30_000);
    expect(bindNode(ragRetrieve, { ...data, llmModel: "m" }).timeoutMs(defaultLimits)).toBe(95_000);
    expect(bindNode(ragRetrieve, data).effects).toBe("idempotent");
  });

  const findings: [extra: object, finding: RegExp][] = [
    [{ vectorStoreUrl: "ftp://127.0.0.1" }, /^error \/vectorStoreUrl/],
    [{ vectorStoreUrl: "127.0.0.1:6333" }, /^error \/vectorStoreUrl/],
    [{ topK: 0 }, /^error \/topK/],
    [{ topK: 101 }, /^error \/topK/],
    [{ maxTokens: 0 }, /^error \/maxTokens/],
    [{ responsePath: "a..b" }, /^error \/responsePath/],
    [{ documentContentField: "a b" }, /^error \/documentContentField/],
    [{ bodyTemplate: { vector: "{{embedding" } }, /^error \/bodyTemplate\/vector/],
  ];

  it.each(findings)("publishing says of %j: %s", (extra, finding) => {
    expect(checkNode(ragRetrieve, { ...data, ...extra })).toEqual([expect.stringMatching(finding)]);
  });
});
