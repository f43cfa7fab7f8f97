import type { NodeTypeName } from "../src/contract/workflow.ts";

/** The `data` of one node of each type, for the reference; the tests hold each to what publishing accepts. */
export const nodeExamples: Partial<Record<NodeTypeName, object>> = {
  action_input: {
    properties: [
      { name: "order_id", type: "string", required: true, description: "The order to refund" },
      { name: "currency", type: "string", enum: ["EUR", "USD"], default: "EUR" },
    ],
  },
  return_output: {
    properties: [{ name: "ok", type: "boolean", value: "{{check.branch}}" }],
  },
  trigger: { kind: "schedule", mode: "cron", expression: "0 9 * * MON-FRI", timezone: "Europe/Berlin" },
  condition: {
    combinator: "AND",
    conditions: [{ id: "large", field: "{{action_input.amount}}", operator: "NUMBER_IS_GREATER_THAN", value: 100 }],
  },
  switch: {
    mode: "value",
    matchField: "{{action_input.currency}}",
    branches: [
      { id: "euro", name: "Euro", value: "EUR" },
      { id: "dollar", name: "Dollar", value: "USD" },
    ],
    fallback: true,
  },
  loop: { items: "{{action_input.orders}}", itemVariable: "order" },
  merge: { inputs: 2 },
  wait: { mode: "duration", amount: 2, unit: "hours" },
  stop_and_error: { errorMessage: "Order {{action_input.order_id}} was refunded already", errorCode: "REFUNDED" },
  set: {
    assignments: [
      { id: "total", key: "total", value: "{{action_input.amount}}", type: "number" },
      { id: "label", key: "label", value: "Order {{action_input.order_id}}" },
    ],
    includeInputFields: true,
  },
  filter: {
    items: "{{action_input.orders}}",
    combinator: "AND",
    conditions: [{ id: "paid", field: "{{item.status}}", operator: "TEXT_EXACTLY_MATCHES", value: "paid" }],
  },
  aggregate: {
    items: "{{action_input.orders}}",
    operations: [
      { id: "orders", key: "orders", op: "count" },
      { id: "revenue", key: "revenue", op: "sum", field: "total" },
    ],
    groupBy: "customer",
  },
  split_out: { items: "{{action_input.order.lines}}", includeParent: true },
  code: {
    code: 'export function run(inputs: { text: string }, utils) {\n  const words = inputs.text.split(/\\s+/);\n  utils.log(words.length, "words");\n  return { words, hash: utils.sha256(inputs.text) };\n}\n',
    fieldMappings: { text: "{{action_input.text}}" },
  },
  connector: {
    connector: "http",
    operation: "request",
    input: {
      method: "POST",
      url: "https://crm.example.com/leads",
      headers: { accept: "application/json" },
      body: { name: "{{action_input.name}}", seats: "{{action_input.seats}}" },
    },
  },
  llm: {
    provider: "openai",
    model: "gpt-4.1-mini",
    preset: "classify",
    userPromptTemplate: "Categories: refund, complaint, other.\n\n{{action_input.message}}",
    temperature: 0,
    maxTokens: 10,
  },
  rag_retrieve: {
    query: "{{action_input.question}}",
    vectorStoreUrl: "http://127.0.0.1:6333/collections/handbook/points/search",
    bodyTemplate: { vector: "{{embedding}}", limit: "{{topK}}", with_payload: true },
    topK: 3,
    llmModel: "gpt-4.1-mini",
  },
  noop: {},
  respond_to_webhook: {
    mode: "json",
    statusCode: 201,
    headers: { "x-order": "{{trigger.output.body.order_id}}" },
    body: { order_id: "{{trigger.output.body.order_id}}", decision: "taken" },
  },
};
