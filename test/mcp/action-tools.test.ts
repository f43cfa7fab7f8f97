import { expect, it } from "vitest";
import type { Action } from "../../src/contract/action.ts";
import type { Run } from "../../src/contract/run.ts";
import { callTool, failTool, modernRequest, request, resultOf } from "../support/mcp.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { greet, pass } from "../support/workflows.ts";

type Definition = { name: string; [key: string]: unknown };

const actions = { query: "?tools=actions" };
const all = { query: "?tools=all" };
const fixed = ["list_actions", "get_action", "run_action", "list_runs", "get_run_status", "get_run_events"];

async function listTools(runtime: TestRuntime, options: { query: string; key?: string }): Promise<Definition[]> {
  const { tools } = await resultOf<{ tools: Definition[] }>(runtime, "tools/list", {}, options);
  return tools;
}

async function names(runtime: TestRuntime, options: { query: string; key?: string }): Promise<string[]> {
  return (await listTools(runtime, options)).map(({ name }) => name);
}

it("each active action is a tool of its own, in place of run_action or beside it, by slug", async () => {
  const runtime = await testRuntime();
  await runtime.publish(pass);
  await runtime.publish(greet);
  const others = fixed.filter((name) => name !== "run_action");
  expect(await names(runtime, { query: "" })).toEqual(expect.arrayContaining(fixed));
  expect(await names(runtime, { query: "" })).not.toContain("action_greet");
  expect((await names(runtime, actions)).slice(-2)).toEqual(["action_greet", "action_pass"]);
  expect(await names(runtime, actions)).toEqual(expect.arrayContaining(others));
  expect(await names(runtime, actions)).not.toContain("run_action");
  expect(await names(runtime, all)).toEqual(expect.arrayContaining([...fixed, "action_greet", "action_pass"]));
});

it("such a tool has the action's frozen input schema, word for word, and its output typed", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const { body: action } = await runtime.get<Action>("/actions/greet");
  const tool = (await listTools(runtime, actions)).find(({ name }) => name === "action_greet");
  expect(tool).toEqual({
    name: "action_greet",
    title: "Greet",
    description: expect.stringMatching(/^Greets somebody\./),
    inputSchema: action.inputSchema,
    outputSchema: expect.objectContaining({
      type: "object",
      properties: expect.objectContaining({ output: { anyOf: [action.outputSchema, { type: "null" }] } }),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  });
});

it("calling it runs the action with the arguments as input and gives what run_action gives", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const run = await callTool<Run>(runtime, "action_greet", { name: "Ada" }, all);
  expect(run).toMatchObject({ status: "accepted", action_slug: "greet", input: { name: "Ada" }, source: "action" });
  expect(await failTool(runtime, "action_greet", {}, all)).toMatchObject({
    code: "INPUT_VALIDATION_FAILED",
    details: [{ field: "name" }],
  });
  expect(await failTool(runtime, "action_missing", {}, all)).toMatchObject({ code: "ACTION_NOT_FOUND" });
});

it("what an action says of itself is told in a sentence of its own", async () => {
  const runtime = await testRuntime();
  const descriptions = { a: "Greets somebody", b: "Greets — whom?", c: "Grüßt", d: " ", e: "" };
  for (const [slug, description] of Object.entries(descriptions)) {
    await runtime.publish(
      greet.replace("slug: greet", `slug: ${slug}`).replace("Greets somebody.", JSON.stringify(description)),
    );
  }
  const told = (await listTools(runtime, actions)).flatMap(({ name, description }) =>
    name.startsWith("action_") ? [String(description).split(" Starts a run")[0]] : [],
  );
  expect(told).toEqual(["Greets somebody.", "Greets — whom?", "Grüßt.", "Runs the action d.", "Runs the action e."]);
});

it("arguments that are no object run nothing, whatever the action would make of an empty input", async () => {
  const runtime = await testRuntime();
  await runtime.publish(pass);
  for (const args of ["text", 7, true, [1]]) {
    const { body } = await request(runtime, "tools/call", { name: "action_pass", arguments: args }, all);
    expect(body.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("BAD_REQUEST") }] });
  }
  const { secret } = await runtime.mintKey(["actions:read"]);
  const refused = await failTool(runtime, "action_pass", "text", { ...all, key: secret });
  expect(refused).toMatchObject({ code: "FORBIDDEN" });
  expect((await runtime.get("/runs")).body["total"]).toBe(0);
  expect(await callTool<Run>(runtime, "action_pass", null, all)).toMatchObject({ input: {} });
});

it("the list follows publishing, and clients are told to keep it for five seconds", async () => {
  const runtime = await testRuntime();
  expect(await names(runtime, all)).not.toContain("action_greet");
  await runtime.publish(greet);
  expect(await names(runtime, all)).toContain("action_greet");
  const { body } = await modernRequest(runtime, "tools/list", {}, all);
  expect(body.result).toMatchObject({ ttlMs: 5_000, cacheScope: "private" });
});

it("a paused action is no tool any more, and a client that still knows it reads why", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  expect((await runtime.control("POST", "/control/actions/greet/pause")).status).toBe(200);
  expect(await names(runtime, all)).not.toContain("action_greet");
  const refused = await failTool(runtime, "action_greet", { name: "Ada" }, all);
  expect(refused).toEqual({ error: "The action greet is paused", code: "ACTION_UNAVAILABLE" });
  expect(await failTool(runtime, "run_action", { slug: "greet", input: { name: "Ada" } })).toEqual(refused);
});

it("a tool that is not on the surface is unknown there", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  for (const [name, query] of [
    ["action_greet", ""],
    ["run_action", "?tools=actions"],
  ] as const) {
    const { body } = await request(runtime, "tools/call", { name, arguments: { name: "Ada" } }, { query });
    expect(body.error).toEqual({ code: -32602, message: `Unknown tool: ${name}` });
  }
  const { instructions } = await resultOf<{ instructions: string }>(runtime, "initialize", {}, actions);
  expect(instructions).not.toContain("run_action");
});

it("a key sees actions as tools when it may read and run them, and may call them when it may run them", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const reader = (await runtime.mintKey(["actions:read"])).secret;
  const runner = (await runtime.mintKey(["actions:run"])).secret;
  expect(await names(runtime, { ...all, key: reader })).toEqual(["list_actions", "get_action"]);
  expect(await names(runtime, { ...all, key: runner })).not.toContain("action_greet");
  expect(await callTool(runtime, "action_greet", { name: "Ada" }, { ...all, key: runner })).toBeDefined();
  const refused = await failTool(runtime, "action_greet", { name: "Ada" }, { ...all, key: reader });
  expect(refused).toMatchObject({ code: "FORBIDDEN" });
});
