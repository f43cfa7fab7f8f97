import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Json } from "../src/contract/json.ts";
import { checkDefinition } from "../src/engine/checks/check-definition.ts";
import { parseWorkflowFile } from "../src/engine/definition/parse-workflow.ts";
import { nodes } from "../src/nodes/index.ts";
import type { TestFileResult } from "../src/contract/workflow-test.ts";
import { stepgate } from "./support/command-line.ts";
import { HttpService, json } from "./support/http-service.ts";
import { testRuntime } from "./support/runtime.ts";

const folder = new URL("../workflows/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml") && !name.endsWith(".test.yaml"));

function readWorkflow(file: string) {
  const text = readFileSync(new URL(file, folder), "utf8");
  const { definition, issues } = parseWorkflowFile(text, "yaml");
  if (!definition) throw new Error(JSON.stringify(issues));
  return { text, definition, issues: [...issues, ...checkDefinition(definition, nodes)] };
}

it.each(files)("%s is published without a word of warning, and editors find its schema", (file) => {
  const { text, issues } = readWorkflow(file);
  expect(issues).toEqual([]);
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/schema\/workflow\.schema\.json\n/);
});

const orders = [
  { id: "A-1", customer: "Ada", status: "paid", total: 40 },
  { id: "A-2", customer: "Bob", status: "open", total: 15 },
  { id: "A-3", customer: "Ada", status: "Paid", total: 2.5 },
  { id: "A-4", status: "paid", total: 10 },
];
const runs: [file: string, input: { [key: string]: Json }, output: object][] = [
  ["hello.yaml", { name: "Ada" }, { greeting: "Hello, Ada!" }],
  [
    "refund-check.yaml",
    { order_id: "A-17", amount: 250 },
    { order_id: "A-17", decision: "held", reason: "250 EUR is over the limit of 100" },
  ],
  ["refund-check.yaml", { order_id: "A-18", amount: 100 }, { order_id: "A-18", decision: "approved" }],
  ["refund-check.yaml", { order_id: "A-19", amount: 250, limit: 300 }, { order_id: "A-19", decision: "approved" }],
  [
    "summarize-orders.yaml",
    { orders },
    {
      paid: 3,
      revenue: 52.5,
      customers: { Ada: { orders: 2, revenue: 42.5 }, _null: { orders: 1, revenue: 10 } },
      report: "A-1: 40 EUR\nA-3: 2.5 EUR\nA-4: 10 EUR",
    },
  ],
  [
    "score-leads.yaml",
    {
      leads: [
        { email: "bob@mail.example", seats: 2 },
        { email: "Ada@example.com", seats: 40 },
        { email: "ada@example.com " },
      ],
    },
    {
      // What is stored of a run has no addresses.
      scored: [
        { id: "b5fc85e5", email: "[REDACTED_EMAIL]", score: 80 },
        { id: "cdc05e46", email: "[REDACTED_EMAIL]", score: 4 },
      ],
      doubles: 1,
    },
  ],
  ["summarize-orders.yaml", { orders: [] }, { paid: 0, revenue: 0, customers: {}, report: "" }],
];

it.each(runs)("%s with %j returns %j", async (file, input, output) => {
  const { text, definition } = readWorkflow(file);
  const runtime = await testRuntime();
  await runtime.publish(text);
  expect(await runtime.runToEnd(definition.slug ?? "", input)).toMatchObject({ status: "succeeded", output });
});

const hook = "order-webhook.yaml";

it("order-webhook.yaml answers the sender of an order", async () => {
  const runtime = await testRuntime();
  const { published } = await runtime.publish(readWorkflow(hook).text);
  const path = `/${new URL(published[0]?.webhook_url ?? "").pathname}`;
  for (const [total, status, decision] of [
    [250, 202, "held"],
    [40, 201, "taken"],
  ] as const) {
    const body = JSON.stringify({ order_id: "A-17", total });
    const answer = await runtime.request("POST", path, { body });
    expect([answer.status, await answer.json()]).toEqual([status, { order_id: "A-17", decision }]);
  }
});

/** Examples that call a service: its answer, and what becomes of it. */
const calls: [file: string, status: number, answer: Json, output: object][] = [
  ["check-endpoint.yaml", 200, { status: "up" }, { healthy: true, status: 200 }],
  ["check-endpoint.yaml", 503, { status: "down" }, { healthy: false, status: 503, said: '{"status":"down"}' }],
];

it.each(calls)("%s asks a service that answers %i %j and returns %j", async (file, status, answer, output) => {
  const { text, definition } = readWorkflow(file);
  const service = await HttpService.start(json(status, answer));
  const egress = { allow: [service.place], allowPrivateNetworks: false };
  const runtime = await testRuntime({ outside: { egress } });
  expect((await runtime.publish(text)).published).toMatchObject([{ warnings: [] }]);
  const run = await runtime.runToEnd(definition.slug ?? "", { url: service.url });
  expect(run).toMatchObject({ status: "succeeded", output });
});

const gated = "pay-refund.yaml";

it("pay-refund.yaml pays what a person approved, and nothing before", async () => {
  const runtime = await testRuntime();
  await runtime.publish(readWorkflow(gated).text);
  const deciding = (await runtime.mintKey(["approvals:decide"])).secret;
  const input = { order_id: "A-17", amount: 250 };
  for (const [decision, status, output] of [
    ["approved", "succeeded", input],
    ["rejected", "cancelled", null],
  ] as const) {
    const { run_id } = (await runtime.post<{ run_id: string }>("/actions/pay-refund/run", { input })).body;
    await runtime.settled();
    expect((await runtime.get(`/runs/${run_id}`)).body).toMatchObject({
      status: "waiting_for_approval",
      approval: { description: "Pay 250 EUR back for order A-17" },
    });
    expect((await runtime.post(`/runs/${run_id}/approve`, { decision }, deciding)).status).toBe(200);
    await runtime.settled();
    expect((await runtime.get(`/runs/${run_id}`)).body).toMatchObject({ status, output });
  }
});

it("every example is run by a test", () => {
  const tested = new Set([...runs, ...calls].map(([file]) => file).concat(hook, gated));
  expect(files.filter((file) => !tested.has(file))).toEqual([]);
});

it("the tests beside the examples pass from the command line and reach every node and handle of each", async () => {
  const { code, stdout } = await stepgate(tmpdir(), ["test", fileURLToPath(folder), "--json"]);
  const tested = JSON.parse(stdout) as { ok: boolean; files: TestFileResult[] };
  expect(code).toBe(0);
  expect(tested.files.map(({ workflow }) => basename(workflow))).toEqual(files);
  for (const { file, coverage } of tested.files) {
    expect({ file, nodes: coverage?.nodes.unreached, handles: coverage?.handles.unreached }).toEqual({
      file,
      nodes: [],
      handles: [],
    });
  }
});
