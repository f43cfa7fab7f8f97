import type { OpenAI } from "openai";
import type { Connector, ConnectorOperation, OperationCall } from "../../engine/connector.ts";
import type { StepOutcome } from "../../engine/node.ts";
import { askProvider } from "../models/ask-provider.ts";
import { completion, completionInput, operationSchema } from "../models/completion.ts";
import { listModels } from "../models/list-models.ts";
import { plainFetch } from "../models/plain-fetch.ts";
import { apiKeyOf, providerAuth } from "../models/provider.ts";
import { type ServiceCall, baseUrlOf } from "../service-call.ts";
import { readCompletion, readEmbedding } from "./read-answer.ts";
import { embedding, embeddingInput } from "./embedding.ts";

const ownBaseUrl = "https://api.openai.com/v1";
const provider = { name: "OpenAI", ownBaseUrl, variable: "OPENAI_API_KEY" };

/** The SDK is loaded by the first call: a daemon that asks no model does not carry it. It never retries: the engine does. */
async function connect(call: ServiceCall): Promise<OpenAI> {
  const sdk = await import("openai");
  const apiKey = apiKeyOf(call);
  return new sdk.OpenAI({
    apiKey: apiKey ?? "none",
    baseURL: baseUrlOf(call, ownBaseUrl),
    fetch: plainFetch(call),
    maxRetries: 0,
    logLevel: "off",
    // Nothing of the environment may reach a server that a connection names.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    ...(apiKey === null && { defaultHeaders: { Authorization: null } }),
  });
}

/** Posts to a path below the base address; what comes back is read by `read`, which answers for its form. */
async function post(
  call: OperationCall,
  path: string,
  body: object,
  read: (answer: unknown) => StepOutcome,
): Promise<StepOutcome> {
  const request = { body, signal: call.signal, headers: { "idempotency-key": call.idempotencyKey } };
  return askProvider(provider, call, async () => (await connect(call)).post(path, request), read);
}

const complete: ConnectorOperation = {
  key: "complete",
  name: "Complete a chat",
  description: "Asks a model one question and gives its answer as text.",
  inputSchema: operationSchema(completionInput),
  outputSchema: operationSchema(completion),
  effects: () => "idempotent",
  async run(call) {
    const { model, prompt, system, temperature, maxTokens } = completionInput.parse(call.input);
    // The newest models take the new name alone, most servers that speak this protocol the old one.
    const limit = baseUrlOf(call, ownBaseUrl) === ownBaseUrl ? "max_completion_tokens" : "max_tokens";
    const body = {
      model,
      messages: [...(system ? [{ role: "system", content: system }] : []), { role: "user", content: prompt }],
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { [limit]: maxTokens }),
    };
    return post(call, "/chat/completions", body, (answer) => readCompletion(answer, model));
  },
};

const embed: ConnectorOperation = {
  key: "embed",
  name: "Embed a text",
  description: "Gives the vector of a text, for a search by meaning.",
  inputSchema: operationSchema(embeddingInput),
  outputSchema: operationSchema(embedding),
  effects: () => "idempotent",
  async run(call) {
    const { model, input } = embeddingInput.parse(call.input);
    // Left out, the SDK would ask for base64, which few other servers know.
    const body = { model, input, encoding_format: "float" };
    return post(call, "/embeddings", body, (answer) => readEmbedding(answer, model));
  },
};

/** OpenAI, and every server that speaks its protocol: then the connection has a `baseUrl` of its own (contract 13). */
export const openai: Connector = {
  slug: "openai",
  name: provider.name,
  description: "Language models and embeddings of OpenAI, and of servers that speak its protocol.",
  version: "1.0.0",
  auth: providerAuth,
  baseUrl: ownBaseUrl,
  operations: [complete, embed],
  triggers: [],
  test: async (call) =>
    listModels(provider, call, async () => (await connect(call)).get("/models", { signal: call.signal })),
};
