import { expect, it } from "vitest";
import type { PublishResult } from "../../src/contract/control.ts";
import type { Connector } from "../../src/engine/connector.ts";
import { done } from "../../src/engine/node.ts";
import { HttpService, until } from "../support/http-service.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";

/** A connector that needs a connection and says what it was given. */
const crm: Connector = {
  slug: "crm",
  name: "CRM",
  description: "A stand-in",
  version: "1.0.0",
  auth: {
    type: "api_key",
    optional: false,
    fields: [{ name: "api_key", label: "API key", secret: true, required: true }],
  },
  baseUrl: null,
  operations: [
    {
      key: "create_lead",
      name: "Create a lead",
      description: "Creates a lead",
      inputSchema: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        properties: {
          name: { type: "string", minLength: 1 },
          seats: { type: "integer", default: 1 },
          tags: { type: "array", items: { type: "string", enum: ["hot", "cold"] } },
          code: { type: "string", pattern: "^(a+)+$" },
          owner: {
            anyOf: [
              { type: "object", required: ["id"] },
              { type: "string", minLength: 3 },
            ],
          },
        },
      },
      outputSchema: null,
      effects: () => "unsafe",
      run: async ({ input, connection }) => done({ input, through: connection?.name ?? null }),
    },
  ],
  triggers: [],
};

async function open() {
  const outside = await outsideRuntime({ connectors: [crm, (await import("../../src/connectors/http/http.ts")).http] });
  const connection = await outside.addConnection({ connector: "crm", secrets: { api_key: "k" } });
  const other = await outside.addConnection({ name: "other", connector: "http" });
  return { outside, connection, other };
}

function workflow(data: object): string {
  return `
name: Call
slug: call
nodes:
  - { id: action_input, type: action_input }
  - { id: call, type: connector, data: ${JSON.stringify(data)} }
  - { id: return_output, type: return_output }
edges: [action_input -> call, call -> return_output]
`;
}

it("publishing names every call that could not be made, with its node and place", async () => {
  const { outside, connection, other } = await open();
  const good = { connector: "crm", operation: "create_lead", connectionId: connection.id, input: { name: "Ada" } };
  const issuesOf = async (data: object) => {
    const request = { files: [{ file: "a.yaml", text: workflow(data) }], check: true };
    const { body } = await outside.test.control<PublishResult>("POST", "/control/publish", request);
    const issues = body.failed.flatMap((failed) => failed.issues);
    expect(issues.every((issue) => issue.node_id === "call")).toBe(true);
    return issues.map(({ path, code, message }) => `${path} ${code}: ${message}`);
  };
  const at = "/nodes/1/data";
  expect(await issuesOf(good)).toEqual([]);
  expect(await issuesOf({ ...good, connector: "crn" })).toEqual([
    `${at}/connector unknown_connector: There is no connector crn; did you mean crm?`,
  ]);
  expect(await issuesOf({ ...good, operation: "create_led" })).toEqual([
    `${at}/operation unknown_operation: crm has no operation create_led; did you mean create_lead?`,
  ]);
  expect(await issuesOf({ ...good, connectionId: undefined })).toEqual([
    expect.stringContaining(`${at}/connectionId connection_required: crm needs a connection`),
  ]);
  expect(await issuesOf({ ...good, connectionId: "nobody" })).toEqual([
    expect.stringContaining(`${at}/connectionId unknown_connection: There is no connection nobody`),
  ]);
  expect(await issuesOf({ ...good, connectionId: other.id })).toEqual([
    `${at}/connectionId wrong_connection: The connection other is one of http, not of crm`,
  ]);
  expect(await issuesOf({ ...good, input: { nam: "Ada", seats: "many", tags: ["hot", "warm"] } })).toEqual([
    `${at}/input invalid_input: name is required`,
    `${at}/input/nam invalid_input: nam is no field; did you mean name?`,
    `${at}/input/seats invalid_input: seats must be integer`,
    `${at}/input/tags/1 invalid_input: tags.1 must be one of "hot", "cold"`,
  ]);
  const templates = {
    name: "{{action_input.name}}",
    seats: "{{action_input.seats}}",
    tags: "{{action_input.tags}}",
    owner: "{{a}}",
  };
  expect(await issuesOf({ ...good, input: { ...templates, owner: "{{action_input.o}}" } })).toEqual([]);
  expect(await issuesOf({ ...good, input: { ...templates, owner: { id: "{{action_input.o}}" } } })).toEqual([]);
});

it("a field that an operation neither names nor refuses is warned of, with the name that was meant", async () => {
  const fields = { n: { type: "integer" }, constructor: { type: "string" } };
  const properties = { id: { type: "string" }, body: { type: "object", properties: fields } };
  const [lead] = crm.operations;
  if (!lead) throw new Error("crm has no operation");
  const warningsOf = async (inputSchema: object, input: object) => {
    const operations = [{ ...lead, inputSchema: { ...inputSchema } }];
    const auth = { ...crm.auth, optional: true };
    const outside = await outsideRuntime({ connectors: [{ ...crm, auth, operations }] });
    const { published } = await outside.test.publish(workflow({ connector: "crm", operation: "create_lead", input }));
    return published[0]?.warnings.map(({ path, code, message }) => `${path} ${code}: ${message}`);
  };
  const input = { id: "7", n: 5, ids: "8", toString: "x", constructor: "y" };
  const at = "/nodes/1/data/input";
  expect(await warningsOf({ type: "object", properties }, input)).toEqual([
    `${at}/n unknown_field: crm.create_lead has no field n; did you mean body.n?`,
    `${at}/ids unknown_field: crm.create_lead has no field ids; did you mean id?`,
    `${at}/toString unknown_field: crm.create_lead has no field toString`,
    `${at}/constructor unknown_field: crm.create_lead has no field constructor; did you mean body.constructor?`,
  ]);
  expect(await warningsOf({ type: "object", properties, additionalProperties: true }, input)).toEqual([]);
  expect(await warningsOf({ type: "object" }, input)).toEqual([]);
});

it("an input is coerced to its schema and gets its defaults; a null never becomes a text", async () => {
  const { outside, connection } = await open();
  const all = { name: "{{action_input.name}}", seats: "{{action_input.seats}}", tags: "{{action_input.tags}}" };
  await outside.test.publish(
    workflow({ connector: "crm", operation: "create_lead", connectionId: connection.id, input: all }),
  );
  const run = async (input: object) => outside.test.runToEnd("call", input);
  expect((await run({ name: 7, seats: "3" })).output).toMatchObject({ input: { name: "7", seats: 3 }, through: "c" });
  expect((await run({ name: "Ada" })).output).toMatchObject({ input: { name: "Ada", seats: 1 } });
  expect((await run({ name: null, tags: ["warm"] })).error).toMatchObject({
    code: "VALIDATION_ERROR",
    message: "The input of crm.create_lead is not valid: name must be string",
    details: { fields: [{ field: "name", message: "must be string" }] },
  });
  expect((await run({ name: "Ada", tags: ["warm"] })).error?.details).toMatchObject({ fields: [{ field: "tags.0" }] });
});

it("an expression of a connector's schema that would hold the daemon up is ended, and the call not made", async () => {
  const { outside, connection } = await open();
  const data = { connector: "crm", operation: "create_lead", connectionId: connection.id };
  await outside.test.publish(workflow({ ...data, input: { name: "Ada", code: "{{action_input.code}}" } }));
  const run = await outside.test.runToEnd("call", { code: `${"a".repeat(60)}!` });
  expect(run.error).toMatchObject({
    code: "VALIDATION_ERROR",
    message: expect.stringContaining(
      "The input of crm.create_lead is not valid: input can't be checked against its schema",
    ),
  });
  expect((await outside.test.runToEnd("call", { code: "aaa" })).output).toMatchObject({ input: { code: "aaa" } });
});

it("a connection that is gone when the call is made fails the step and says so", async () => {
  const { outside, connection } = await open();
  const data = { connector: "crm", operation: "create_lead", connectionId: connection.id, input: { name: "Ada" } };
  await outside.test.publish(workflow(data));
  await outside.test.control("POST", `/control/connections/${connection.id}/remove`);
  expect((await outside.test.runToEnd("call")).error).toMatchObject({
    code: "VALIDATION_ERROR",
    message: expect.stringContaining(`no connection ${connection.id}`),
  });
});

it("a connection that wants approval gates every call through it, as it is when the call would be made", async () => {
  const service = await HttpService.start();
  const outside = await outsideRuntime();
  const settings = { baseUrl: service.url };
  const { id } = await outside.addConnection({ connector: "http", settings, require_approval: true });
  await outside.publishCall({ connectionId: id, input: { method: "POST", url: "/{{action_input.to}}" } });
  const gated = await outside.driver.start("call", { to: "first" });
  expect(await outside.driver.status(gated)).toBe("waiting_for_approval");
  const requests = await outside.test.control<{ approvals: { step_id: string; inputs: object }[] }>(
    "GET",
    "/control/approvals",
  );
  expect(requests.body.approvals).toMatchObject([{ step_id: "call", inputs: { input: { url: "/first" } } }]);
  expect(service.requests).toEqual([]);
  // A restart forgets neither the gate nor what was asked for.
  await outside.test.restart();
  await outside.driver.decide(gated, "approved");
  await until(async () => (await outside.driver.status(gated)) === "succeeded");
  expect(service.requests).toMatchObject([{ url: "/first" }]);
  await outside.test.control("POST", `/control/connections/${id}/update`, { require_approval: false });
  expect((await outside.test.runToEnd("call", { to: "second" })).status).toBe("succeeded");
  await outside.test.control("POST", `/control/connections/${id}/update`, { require_approval: true });
  const rejected = await outside.driver.start("call", { to: "third" });
  expect(await outside.driver.status(rejected)).toBe("waiting_for_approval");
  await outside.driver.decide(rejected, "rejected");
  expect(await outside.driver.status(rejected)).toBe("cancelled");
  expect(service.requests).toHaveLength(2);
});
