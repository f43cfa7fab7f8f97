import type { Anthropic } from "@anthropic-ai/sdk";
import type { Connector, ConnectorOperation } from "../../engine/connector.ts";
import { askProvider } from "../models/ask-provider.ts";
import { completion, completionInput, operationSchema } from "../models/completion.ts";
import { listModels } from "../models/list-models.ts";
import { plainFetch } from "../models/plain-fetch.ts";
import { apiKeyOf, providerAuth } from "../models/provider.ts";
import { type ServiceCall, baseUrlOf } from "../service-call.ts";
import { readMessage } from "./read-answer.ts";

const ownBaseUrl = "https://api.anthropic.com/v1";
const provider = { name: "Anthropic", ownBaseUrl, variable: "ANTHROPIC_API_KEY" };
/** The SDK's own newest version knows no temperature, and most other servers know this one alone. */
const apiVersion = "2023-06-01";
/** The API wants a limit, and a step need not have one. */
const defaultMaxTokens = 4096;

/** The SDK is loaded by the first call. A key that is given keeps it from looking for others on this machine. */
async function connect(call: ServiceCall): Promise<Anthropic> {
  const sdk = await import("@anthropic-ai/sdk");
  const apiKey = apiKeyOf(call);
  const baseURL = baseUrlOf(call, ownBaseUrl);
  return new sdk.Anthropic({
    apiKey: apiKey ?? "none",
    baseURL,
    fetch: plainFetch(call),
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
    defaultHeaders: {
      "Anthropic-Version": apiVersion,
      "X-Api-Key": apiKey,
      // Servers that speak the newest version alone look for the key here.
      Authorization: apiKey === null || baseURL === ownBaseUrl ? null : `Bearer ${apiKey}`,
    },
  });
}

const complete: ConnectorOperation = {
  key: "complete",
  name: "Create a message",
  description: "Asks a model one question and gives its answer as text.",
  inputSchema: operationSchema(completionInput),
  outputSchema: operationSchema(completion),
  effects: () => "idempotent",
  async run(call) {
    const { model, prompt, system, temperature, maxTokens } = completionInput.parse(call.input);
    const body = {
      model,
      max_tokens: maxTokens ?? defaultMaxTokens,
      messages: [{ role: "user", content: prompt }],
      ...(system && { system }),
      ...(temperature !== undefined && { temperature }),
    };
    const request = { body, signal: call.signal, headers: { "idempotency-key": call.idempotencyKey } };
    // The SDK's own method puts a version before its path, and here the base address has it already (contract 13).
    const ask = async () => (await connect(call)).post("/messages", request);
    return askProvider(provider, call, ask, (answer) => readMessage(answer, model));
  },
};

/** Anthropic, and every server that speaks its protocol: then the connection has a `baseUrl` of its own (contract 13). */
export const anthropic: Connector = {
  slug: "anthropic",
  name: provider.name,
  description: "Language models of Anthropic, and of servers that speak its protocol.",
  version: "1.0.0",
  auth: providerAuth,
  baseUrl: ownBaseUrl,
  operations: [complete],
  triggers: [],
  test: async (call) =>
    listModels(provider, call, async () => (await connect(call)).get("/models", { signal: call.signal })),
};
