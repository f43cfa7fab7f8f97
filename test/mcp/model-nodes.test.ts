import { expect, it } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import type { SavedWorkflow, WorkflowDetail } from "../../src/contract/workflow-api.ts";
import { HttpService, json } from "../support/http-service.ts";
import { callTool } from "../support/mcp.ts";
import { modelServer } from "../support/model-server.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";
import { create, deploy, edge, input, node, read } from "../support/workflow-tools.ts";

it("an agent makes, changes, deploys and runs a workflow that retrieves, asks a model and calls a service", async () => {
  const models = await modelServer();
  const store = await HttpService.start(json(200, { result: [{ payload: { text: "Refunds take a day." } }] }));
  const outside = await outsideRuntime();
  const { test } = outside;
  const { id: connectionId } = await outside.addConnection({
    connector: "openai",
    settings: { baseUrl: models.baseUrl, allowPrivateNetwork: true },
    secrets: { api_key: "sk-canary" },
  });
  const url = `${store.url}/search`;
  const bodyTemplate = { vector: "{{embedding}}", limit: "{{topK}}" };
  const query = "{{action_input.question}}";
  const nodes = [
    input({ name: "question", type: "string", required: true }),
    node("find", "rag_retrieve", { query, vectorStoreUrl: url, bodyTemplate, embeddingConnectionId: connectionId }),
    node("ask", "llm", {
      provider: "openai",
      model: "m1",
      userPromptTemplate: "{{action_input.question}} {{find.retrievedDocuments}}",
      connectionId,
    }),
    node("tell", "connector", {
      connector: "http",
      operation: "request",
      input: { method: "POST", url, body: { answer: "{{ask.text}}" } },
    }),
    node("done", "return_output", { properties: [{ name: "answer", type: "string", value: "{{ask.text}}" }] }),
  ];
  const edges = ["action_input", "find", "ask", "tell", "done"].flatMap((id, at, ids) =>
    ids[at + 1] === undefined ? [] : [edge(id, String(ids[at + 1]))],
  );
  const check = { name: "Answer", definition: { nodes, edges: edges.slice(1) }, validate_only: true };
  expect(await callTool<SavedWorkflow>(test, "create_workflow", check)).toMatchObject({ valid: false });
  const id = await create(test, { nodes, edges });
  const draft = await read(test, id);
  const changed = { ...draft.definition, description: "Answers from the handbook." };
  const saved = await callTool<SavedWorkflow>(test, "update_workflow", { workflow_id: id, definition: changed });
  expect(saved).toMatchObject({ revision: 2, valid: true, errors: [] });
  expect(await deploy(test, id, { slug: "answer" })).toMatchObject({ version: 1, action_slug: "answer" });
  const kept = await callTool<WorkflowDetail>(test, "get_workflow", { workflow_id: id, version: 1 });
  expect(kept.definition.nodes.map(({ type }) => type)).toEqual(nodes.map(({ type }) => type));
  const run = { slug: "answer", input: { question: "How long?" }, wait_seconds: 30 };
  expect(await callTool<RunDetail>(test, "run_action", run)).toMatchObject({
    status: "succeeded",
    output: { answer: "refund" },
  });
  expect(store.requests.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { limit: 5 },
    { answer: "refund" },
  ]);
});
