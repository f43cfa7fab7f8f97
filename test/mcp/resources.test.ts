import { describe, expect, it } from "vitest";
import { modernRequest, request, resultOf } from "../support/mcp.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { greet } from "../support/workflows.ts";

const unknownId = "00000000-0000-7000-8000-000000000000";

type Contents = { contents: { uri: string; mimeType: string; text: string }[] };

async function read(runtime: TestRuntime, uri: string): Promise<unknown> {
  const { contents } = await resultOf<Contents>(runtime, "resources/read", { uri });
  expect(contents).toEqual([{ uri, mimeType: "application/json", text: expect.any(String) }]);
  return JSON.parse(contents[0]?.text ?? "");
}

async function uriTemplates(runtime: TestRuntime): Promise<string[]> {
  const { resourceTemplates } = await resultOf<{ resourceTemplates: { uriTemplate: string }[] }>(
    runtime,
    "resources/templates/list",
  );
  return resourceTemplates.map(({ uriTemplate }) => uriTemplate);
}

describe("resources", () => {
  it("the latest runs are listed, newest first", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const ids: string[] = [];
    for (let index = 0; index < 22; index += 1) {
      runtime.clock.advance(1);
      ids.unshift((await runtime.runToEnd("greet", { name: "Ada" })).run_id);
    }
    const { resources } = await resultOf<{ resources: { uri: string }[] }>(runtime, "resources/list");
    expect(resources.map(({ uri }) => uri)).toEqual(ids.slice(0, 20).map((id) => `run://${id}`));
    expect(resources[0]).toMatchObject({ title: "greet succeeded", mimeType: "application/json" });
  });

  it("a run, its journal and an action read as their REST bodies", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const { run_id: id } = await runtime.runToEnd("greet", { name: "Ada" });
    expect(await read(runtime, `run://${id}`)).toEqual((await runtime.get(`/runs/${id}`)).body);
    expect(await read(runtime, `run://${id}/journal`)).toEqual((await runtime.get(`/runs/${id}/events`)).body);
    expect(await read(runtime, "action://greet")).toEqual((await runtime.get("/actions/greet")).body);
  });

  it.each([
    `run://${unknownId}`,
    "run://%zz",
    "action://missing",
    "workflow://x",
    "run://",
    "file:///etc/passwd",
    "nonsense",
  ])("%s is not there, in the words of each era", async (uri) => {
    const runtime = await testRuntime();
    const old = await request(runtime, "resources/read", { uri });
    expect([old.status, old.body.error]).toMatchObject([200, { code: -32002, data: { uri } }]);
    const now = await modernRequest(runtime, "resources/read", { uri });
    expect([now.status, now.body.error]).toMatchObject([200, { code: -32602, data: { uri } }]);
  });

  it("a key reads what its scopes allow", async () => {
    const runtime = await testRuntime({ scopes: ["actions:read"] });
    await runtime.publish(greet);
    expect(await uriTemplates(runtime)).toEqual(["action://{slug}"]);
    expect(await resultOf(runtime, "resources/list")).toEqual({ resources: [] });
    expect(await read(runtime, "action://greet")).toMatchObject({ slug: "greet" });
    const { body } = await request(runtime, "resources/read", { uri: `run://${unknownId}` });
    expect(body.error).toMatchObject({ code: -32000, data: { code: "FORBIDDEN" } });
  });

  it("there is a template for each thing that a tool can read", async () => {
    const found = await uriTemplates(await testRuntime());
    expect(found.slice(0, 3)).toEqual(["run://{run_id}", "run://{run_id}/journal", "action://{slug}"]);
  });
});

describe("prompts", () => {
  type Prompts = { prompts: { name: string; description: string; arguments: unknown[] }[] };

  it("are listed when all tools are there that they steer to", async () => {
    const runtime = await testRuntime();
    const { tools } = await resultOf<{ tools: { name: string }[] }>(runtime, "tools/list");
    const known = new Set(tools.map(({ name }) => name));
    const { prompts } = await resultOf<Prompts>(runtime, "prompts/list");
    expect(prompts[0]).toEqual({
      name: "debug_run",
      title: "Debug a run",
      description: expect.any(String),
      arguments: [{ name: "run_id", description: "The run's id", required: true }],
    });
    const listed = new Set(prompts.map(({ name }) => name));
    expect(listed.has("review_approvals")).toBe(known.has("approve_run"));
    expect(listed.has("build_workflow")).toBe(known.has("create_workflow") && known.has("list_connectors"));
  });

  it("debug_run tells which tools to read the run with", async () => {
    const params = { name: "debug_run", arguments: { run_id: unknownId } };
    const { messages } = await resultOf<{ messages: { role: string; content: { type: string; text: string } }[] }>(
      await testRuntime(),
      "prompts/get",
      params,
    );
    expect(messages).toMatchObject([{ role: "user", content: { type: "text" } }]);
    for (const word of [unknownId, "get_run_status", "get_run_events"])
      expect(messages[0]?.content.text).toContain(word);
  });

  it.each([
    { name: "nonsense" },
    { name: "debug_run" },
    { name: "debug_run", arguments: {} },
    { name: "debug_run", arguments: { run_id: 7 } },
    { name: 7 },
  ])("%o is an error of the protocol", async (params) => {
    const { body } = await request(await testRuntime(), "prompts/get", params);
    expect(body.error?.code).toBe(-32602);
  });

  it("a key whose tools are not enough sees none", async () => {
    const runtime = await testRuntime({ scopes: ["actions:read"] });
    expect(await resultOf(runtime, "prompts/list")).toEqual({ prompts: [] });
    const { body } = await request(runtime, "prompts/get", { name: "debug_run", arguments: { run_id: unknownId } });
    expect(body.error?.message).toBe("Unknown prompt: debug_run");
  });
});
