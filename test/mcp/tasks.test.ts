import { describe, expect, it } from "vitest";
import { heldCatalogue } from "../support/held-node.ts";
import { type PostOptions, type RpcResult, callTool, modernRequest, request } from "../support/mcp.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { create, deploy, keyFor, paying } from "../support/workflow-tools.ts";
import { greet, pass } from "../support/workflows.ts";

const extension = "io.modelcontextprotocol/tasks";
const declaring = { extensions: { [extension]: {} } };
const withForms = { ...declaring, elicitation: {} };
const unknownId = "00000000-0000-7000-8000-000000000000";

type Task = RpcResult & {
  resultType: string;
  taskId: string;
  status: string;
  statusMessage: string;
  inputRequests?: Record<string, { method: string; params: { message: string } }>;
  result?: { isError?: boolean; structuredContent?: unknown; content: [{ text: string }] };
};

/** A request of a client that takes tasks. */
async function ask(runtime: TestRuntime, method: string, params: RpcResult, options: PostOptions = {}) {
  return modernRequest(runtime, method, params, { capabilities: declaring, ...options });
}

async function getTask(runtime: TestRuntime, taskId: string, options?: PostOptions): Promise<Task> {
  const { body } = await ask(runtime, "tasks/get", { taskId }, options);
  if (!body.result) throw new Error(JSON.stringify(body));
  return body.result as Task;
}

async function startTask(runtime: TestRuntime, args: RpcResult): Promise<Task> {
  const { body } = await ask(runtime, "tools/call", { name: "run_action", arguments: args });
  if (!body.result) throw new Error(JSON.stringify(body));
  return body.result as Task;
}

/** A runtime with a gated action, and a run of it that waits for its approval. */
async function gated(): Promise<{ runtime: TestRuntime; task: Task }> {
  const runtime = await testRuntime();
  await deploy(runtime, await create(runtime, paying()), { slug: "pay" });
  const task = await startTask(runtime, { slug: "pay", input: { amount: 7 }, wait_seconds: 10 });
  return { runtime, task };
}

describe("a run as a task", () => {
  it("is what the call that starts it is answered with, and gives its result when it is over", async () => {
    const { catalogue, letGo } = heldCatalogue();
    const runtime = await testRuntime({ catalogue });
    await runtime.publish(pass);
    const task = await startTask(runtime, { slug: "pass" });
    expect(task).toEqual({
      resultType: "task",
      taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: "working",
      statusMessage: "queued",
      createdAt: runtime.clock.now().toISOString(),
      lastUpdatedAt: expect.any(String),
      ttlMs: null,
      pollIntervalMs: 1000,
      _meta: expect.any(Object),
    });
    await runtime.started(task.taskId);
    const working = await getTask(runtime, task.taskId);
    expect(working).toMatchObject({ resultType: "complete", status: "working", statusMessage: "running" });
    expect(working).not.toHaveProperty("result");
    letGo();
    await callTool(runtime, "get_run_status", { run_id: task.taskId, wait_seconds: 30 });
    const over = await getTask(runtime, task.taskId);
    expect(over).toMatchObject({ status: "completed", statusMessage: "succeeded" });
    expect(over.result).toMatchObject({ resultType: "complete", structuredContent: { status: "succeeded" } });
    expect(JSON.parse(over.result?.content[0].text ?? "")).toEqual(over.result?.structuredContent);
  });

  it("is none where the run is over at once, the client takes no tasks, or the key may not follow runs", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const run = { name: "run_action", arguments: { slug: "greet", input: { name: "Ada" } } };
    const dry = { name: "run_action", arguments: { ...run.arguments, dry_run: true } };
    const over = { name: "run_action", arguments: { ...run.arguments, wait_seconds: 10 } };
    for (const params of [dry, over]) {
      expect((await ask(runtime, "tools/call", params)).body.result).toMatchObject({ resultType: "complete" });
    }
    const plain = await modernRequest(runtime, "tools/call", run);
    expect(plain.body.result).toMatchObject({ resultType: "complete", structuredContent: { status: "accepted" } });
    const key = await keyFor(runtime, "actions:run");
    expect((await ask(runtime, "tools/call", run, { key })).body.result).toMatchObject({ resultType: "complete" });
    expect((await ask(runtime, "tools/call", run)).body.result).toMatchObject({ resultType: "task" });
  });

  it("is made of an action that is a tool of its own, and of a replay", async () => {
    const { runtime, task } = await gated();
    await ask(runtime, "tasks/cancel", { taskId: task.taskId });
    const own = { name: "action_pay", arguments: { amount: 7 } };
    const started = await ask(runtime, "tools/call", own, { query: "?tools=actions" });
    expect(started.body.result).toMatchObject({ resultType: "task", status: "working" });
    const replay = { name: "replay_run", arguments: { run_id: task.taskId, input: { amount: 8 } } };
    expect((await ask(runtime, "tools/call", replay)).body.result).toMatchObject({ resultType: "task" });
  });

  it("that fails is a call that was answered with an error of its tool", async () => {
    const runtime = await testRuntime();
    await runtime.publish(failing);
    const { taskId } = await startTask(runtime, { slug: "failing" });
    await callTool(runtime, "get_run_status", { run_id: taskId, wait_seconds: 30 });
    const task = await getTask(runtime, taskId);
    expect(task).toMatchObject({ status: "completed", statusMessage: expect.stringMatching(/^failed: .*no-such/) });
    expect(task.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"failed"') }] });
    expect(task.result).not.toHaveProperty("structuredContent");
  });
});

describe("a task at a gate", () => {
  it("goes on working for whoever started the run, and says what it waits for", async () => {
    const { runtime, task } = await gated();
    expect(task).toMatchObject({ status: "working", statusMessage: "waiting for approval", pollIntervalMs: 5000 });
    const read = await getTask(runtime, task.taskId, { capabilities: withForms });
    expect(read).toMatchObject({ status: "working", statusMessage: "waiting for approval" });
  });

  it("asks another user's key that may decide, and does what is answered", async () => {
    const { runtime, task } = await gated();
    const { taskId } = task;
    const { secret: key } = await runtime.mintKey(["runs:read", "approvals:decide"], { user: "boss" });
    const forms = { key, capabilities: withForms };
    const asked = await getTask(runtime, taskId, forms);
    expect(asked.status).toBe("input_required");
    const [[id, form] = []] = Object.entries(asked.inputRequests ?? {});
    expect(form).toMatchObject({
      method: "elicitation/create",
      params: { mode: "form", requestedSchema: { required: ["decision"] } },
    });
    expect(form?.params.message).toMatch(/^A run of pay asks for approval of its step pay\..* Inputs: /);
    // Without forms, or without the scope, there is nobody to ask.
    expect((await getTask(runtime, taskId, { key })).status).toBe("working");
    const { secret: reader } = await runtime.mintKey(["runs:read"], { user: "other" });
    expect((await getTask(runtime, taskId, { ...forms, key: reader })).status).toBe("working");

    const answer = async (response: unknown, options: PostOptions = forms) =>
      (await ask(runtime, "tasks/update", { taskId, inputResponses: { [id ?? ""]: response } }, options)).body;
    expect((await answer({ action: "decline" })).result).toMatchObject({ resultType: "complete" });
    expect((await answer({ action: "accept", content: { decision: "maybe" } })).error).toMatchObject({ code: -32602 });
    const approved = { action: "accept", content: { decision: "approved", comment: "fine" } };
    for (const other of [runtime.secret, reader]) {
      const refused = await answer(approved, { ...forms, key: other });
      expect(refused.error).toMatchObject({ code: -32000, data: { code: "FORBIDDEN" } });
    }
    expect((await getTask(runtime, taskId, forms)).status).toBe("input_required");
    expect((await answer(approved)).result).toEqual({ resultType: "complete", _meta: expect.any(Object) });
    const run = await callTool<RpcResult>(runtime, "get_run_status", { run_id: taskId, wait_seconds: 30 });
    expect(run).toMatchObject({ status: "succeeded", approval: { user_id: "boss", comment: "fine" } });
    // What was answered already is left aside.
    expect((await answer(approved)).result).toMatchObject({ resultType: "complete" });
    expect(await getTask(runtime, taskId, forms)).toMatchObject({ status: "completed" });
  });

  it("is cancelled by tasks/cancel, once and for all", async () => {
    const { runtime, task } = await gated();
    const { taskId } = task;
    const { secret: key } = await runtime.mintKey(["runs:read"]);
    expect((await ask(runtime, "tasks/cancel", { taskId }, { key })).body.error).toMatchObject({
      data: { code: "FORBIDDEN" },
    });
    for (let times = 0; times < 2; times += 1) {
      const { body } = await ask(runtime, "tasks/cancel", { taskId });
      expect(body.result).toEqual({ resultType: "complete", _meta: expect.any(Object) });
      const cancelled = await getTask(runtime, taskId);
      expect(cancelled).toMatchObject({ status: "cancelled", statusMessage: "cancelled" });
      expect(cancelled).not.toHaveProperty("result");
    }
  });
});

describe("methods of tasks", () => {
  it("are for clients that declare the extension", async () => {
    const { runtime, task } = await gated();
    const discovered = await modernRequest(runtime, "server/discover");
    expect(discovered.body.result).toMatchObject({ capabilities: { extensions: { [extension]: {} } } });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { status, body } = await modernRequest(runtime, method, { taskId: task.taskId, inputResponses: {} });
      expect([status, body.error]).toMatchObject([
        400,
        { code: -32021, data: { requiredCapabilities: { extensions: { [extension]: {} } } } },
      ]);
      const old = await request(runtime, method, { taskId: task.taskId });
      expect([old.status, old.body.error?.code]).toEqual([200, -32601]);
    }
    expect((await getTask(runtime, task.taskId)).status).toBe("working");
  });

  it("know no runs but those of the key's workspace, and say of all others the same", async () => {
    const { runtime, task } = await gated();
    await runtime.control("POST", "/control/workspaces", { name: "other", tier: "business" });
    const minted = await runtime.control<{ secret: string }>(
      "POST",
      "/control/keys",
      { name: "o", scopes: ["runs:read", "actions:run", "approvals:decide"] },
      { "x-stepgate-workspace": "other" },
    );
    const options = { key: minted.body.secret, capabilities: withForms };
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const [foreign, unknown] = await Promise.all(
        [task.taskId, unknownId].map(async (taskId) => {
          const { body } = await ask(runtime, method, { taskId, inputResponses: {} }, options);
          return JSON.stringify(body).replaceAll(taskId, "ID");
        }),
      );
      expect(foreign).toBe(unknown);
      expect(foreign).toContain("-32602");
    }
    expect((await getTask(runtime, task.taskId)).status).toBe("working");
  });

  it("take a text as the id, an object as the responses, and the id again in a header", async () => {
    const { runtime, task } = await gated();
    const { taskId } = task;
    for (const params of [{ taskId: 7 }, {}]) {
      expect((await ask(runtime, "tasks/get", params)).body.error?.code).toBe(-32602);
    }
    expect((await ask(runtime, "tasks/update", { taskId, inputResponses: [] })).body.error?.code).toBe(-32602);
    const headers = { "mcp-name": unknownId };
    expect((await ask(runtime, "tasks/get", { taskId }, { headers })).body.error?.code).toBe(-32020);
  });
});

const failing = `name: Failing
slug: failing
nodes:
  - {id: action_input, type: action_input}
  - {id: stop, type: stop_and_error, data: {errorMessage: no-such thing}}
  - {id: result, type: return_output}
edges: [action_input -> stop, action_input -> result]
`;
