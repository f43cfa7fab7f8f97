import * as z from "zod";
import type { Json } from "../contract/json.ts";
import { isRecord, toText } from "../engine/values/json.ts";
import { type ConfigFinding, type NodeContext, type StepError, defineNode, done } from "../engine/node.ts";
import { askModel, modelWatchdogMs, nothingToSend } from "./ask-model.ts";
import { plainPath } from "./plain-path.ts";
import { ragPrompt, ragSystemPrompt } from "./rag-prompt.ts";
import { template } from "./template-field.ts";
import { type FoundDocument, isHttpUrl, searchVectors } from "./vector-search.ts";

const config = z.strictObject({
  query: template("What is searched for"),
  vectorStoreUrl: z.string().min(1).describe("Address of the store's search, http or https"),
  bodyTemplate: template(
    "JSON that is posted there, as an object or as text; reads `{{embedding}}` and `{{topK}}` beside everything else",
  ),
  responsePath: plainPath("Where the list of documents lies in the answer; empty: it is the answer").default("result"),
  documentContentField: plainPath("Where the text lies in a document").default("payload.text"),
  headers: z.record(z.string(), template("A header's value")).optional().describe("Headers of the search"),
  topK: z.int().min(1).max(100).default(5).describe("The most documents"),
  embeddingConnectionId: z
    .string()
    .min(1)
    .optional()
    .describe("The `openai` connection of both models; default the key in the daemon's environment"),
  embeddingModel: z.string().min(1).default("text-embedding-3-small").describe("The model that embeds the query"),
  llmModel: z.string().min(1).optional().describe("The model that answers the query; default none does"),
  llmSystemPrompt: z
    .string()
    .min(1)
    .optional()
    .describe("What that model is told first; default to keep to the documents"),
  maxTokens: z.int().min(1).default(1024).describe("The most tokens that its answer may have"),
});
type Config = z.infer<typeof config>;

/** Searches a vector store by meaning and, if asked, has a model answer from what was found (spec 2.10, contract 13). */
export const ragRetrieve = defineNode({
  type: "rag_retrieve",
  title: "RAG Retrieve",
  group: "Utilities",
  summary:
    "Searches a vector store by meaning. Output: `{query, retrievedDocuments, documentCount, llmResponse, model, embeddingModel, durationMs}`; each document is as the store gave it, with its text as `content`. Under `continueOnFailure` a failure's output is what there is of it, with `error`.",
  config,
  templates: ["/query/**", "/vectorStoreUrl", "/headers/**", "/embeddingModel", "/llmModel", "/llmSystemPrompt"],
  lateTemplates: { pointers: ["/bodyTemplate/**"], roots: ["embedding", "topK"] },
  effects: () => "idempotent",
  reaches: ({ embeddingConnectionId = null }) => [
    {
      connector: "openai",
      connectorPointer: "/embeddingConnectionId",
      connectionId: embeddingConnectionId,
      connectionPointer: "/embeddingConnectionId",
    },
  ],
  timeoutMs: ({ llmModel }, limits) =>
    limits.stepTimeoutSeconds * 1000 + (llmModel === undefined ? 0 : modelWatchdogMs(limits)),
  check: checkUrl,
  async run(context) {
    const { config: given, now } = context;
    const query = toText(given.query ?? null);
    if (query.trim() === "") return nothingToSend("query");
    const startedAt = now().getTime();
    const progress: Progress = { documents: [], llmResponse: null };
    const models = { llm: toText(given.llmModel ?? null) || null, embedding: toText(given.embeddingModel ?? null) };
    const output = () => ({
      query,
      retrievedDocuments: progress.documents,
      documentCount: progress.documents.length,
      llmResponse: progress.llmResponse,
      model: models.llm,
      embeddingModel: models.embedding,
      durationMs: Math.max(0, now().getTime() - startedAt),
    });
    const partial = ({ code, message }: StepError) => ({ ...output(), error: { code, message } });
    context.keepPartial(partial);
    const error = await retrieve(context, query, models, progress);
    return error ? { kind: "fail", error, output: partial(error) } : done(output());
  },
});

/** What there is so far: under continueOnFailure it is the output of a step that fails. */
type Progress = { documents: FoundDocument[]; llmResponse: string | null };

/** Embeds the query, searches, and has the model answer; returns the failure that stopped it. */
async function retrieve(
  context: NodeContext<Config>,
  query: string,
  models: { llm: string | null; embedding: string },
  progress: Progress,
): Promise<StepError | null> {
  const { config: given } = context;
  const embedded = await embedQuery(context, query, models.embedding);
  if ("error" in embedded) return embedded.error;
  const searched = await searchVectors(context, searchOf(context, embedded.embedding));
  if ("error" in searched) return searched.error;
  progress.documents = searched.documents;
  warnOfEmptyDocuments(context, searched.documents);
  if (models.llm === null) return null;
  const asked = await askModel(context, {
    provider: "openai",
    connectionId: given.embeddingConnectionId ?? null,
    model: models.llm,
    prompt: ragPrompt(query, searched.documents),
    system: toText(given.llmSystemPrompt ?? null) || ragSystemPrompt,
    maxTokens: given.maxTokens,
  });
  if ("error" in asked) return asked.error;
  progress.llmResponse = asked.answer.text;
  return null;
}

async function embedQuery(
  { calls, config: { embeddingConnectionId } }: NodeContext<Config>,
  input: string,
  model: string,
): Promise<{ embedding: Json } | { error: StepError }> {
  const connectionId = embeddingConnectionId ?? null;
  const outcome = await calls.run({ connector: "openai", operation: "embed", connectionId, input: { model, input } });
  if (outcome.kind === "fail") return { error: outcome.error };
  const embedding = outcome.kind === "done" && isRecord(outcome.output) ? outcome.output["embedding"] : undefined;
  if (Array.isArray(embedding)) return { embedding };
  return { error: { code: "UNKNOWN", message: "The embedding model answered without an embedding" } };
}

function searchOf({ config: given, render }: NodeContext<Config>, embedding: Json) {
  const { responsePath, documentContentField, topK, headers = {} } = given;
  const url = toText(given.vectorStoreUrl ?? null);
  return { url, headers, body: render("/bodyTemplate", { embedding, topK }), responsePath, documentContentField, topK };
}

/** A slip in the path is no failure where nobody reads the texts, but one would look for it long. */
function warnOfEmptyDocuments({ log, config: given }: NodeContext<Config>, found: readonly FoundDocument[]): void {
  if (found.length === 0 || found.some(({ content = null }) => content !== null)) return;
  log(`No document has a text at ${given.documentContentField}; correct documentContentField`);
}

/** An address with templates is looked at when they are resolved. */
function checkUrl({ vectorStoreUrl }: Config): ConfigFinding[] {
  if (vectorStoreUrl.includes("{{") || isHttpUrl(vectorStoreUrl)) return [];
  const message = "vectorStoreUrl has to be an http or https address";
  return [{ severity: "error", code: "invalid_url", message, pointer: "/vectorStoreUrl" }];
}
