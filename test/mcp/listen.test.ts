import { describe, expect, it } from "vitest";
import { heldCatalogue } from "../support/held-node.ts";
import { callTool, modernRequest, request } from "../support/mcp.ts";
import { type Listening, type StreamMessage, listenTo } from "../support/mcp-stream.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { create, deploy, echo, keyFor } from "../support/workflow-tools.ts";
import { greet, pass } from "../support/workflows.ts";

const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const unknownId = "00000000-0000-7000-8000-000000000000";
const about = { "io.modelcontextprotocol/subscriptionId": "s-1" };
const quietMs = 200;

/** A stream whose acknowledgement has come, and what it acknowledged. */
async function opened(listening: Listening): Promise<unknown> {
  expect([listening.status, listening.type]).toEqual([200, "text/event-stream"]);
  const message = await listening.next();
  expect(message).toMatchObject({
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { _meta: about },
  });
  return message?.params?.["notifications"];
}

async function startRun(runtime: TestRuntime): Promise<string> {
  const run = await callTool<{ run_id: string }>(runtime, "run_action", { slug: "pass" });
  await runtime.started(run.run_id);
  return run.run_id;
}

/** Lets the quiet time between two notices pass. */
async function rest(runtime: TestRuntime): Promise<void> {
  await runtime.settled();
  runtime.clock.advance(quietMs);
  await runtime.settled();
}

describe("a stream of changes", () => {
  it("tells of the list of tools where it follows publishing, each time it changes", async () => {
    const runtime = await testRuntime();
    const discovered = await modernRequest(runtime, "server/discover", {}, { query: "?tools=all" });
    expect(discovered.body.result).toMatchObject({ capabilities: { tools: { listChanged: true } } });
    const stream = await listenTo(
      runtime,
      { toolsListChanged: true, promptsListChanged: true },
      { query: "?tools=all" },
    );
    expect(await opened(stream)).toEqual({ toolsListChanged: true });
    const changed = { method: "notifications/tools/list_changed", params: { _meta: about } };
    await runtime.publish(greet);
    expect(await stream.next()).toMatchObject(changed);
    const { body } = await modernRequest(runtime, "tools/list", {}, { query: "?tools=all" });
    expect(JSON.stringify(body)).toContain('"action_greet"');
    await rest(runtime);
    const id = await create(runtime, echo);
    await deploy(runtime, id, { slug: "echo" });
    expect(await stream.next()).toMatchObject(changed);
    await rest(runtime);
    await callTool(runtime, "delete_workflow", { workflow_id: id });
    expect(await stream.next()).toMatchObject(changed);
    await stream.leave();
  });

  it("tells nothing of the fixed tools, nor of actions to a key that does not see them, nor of other workspaces", async () => {
    const runtime = await testRuntime();
    const fixed = await listenTo(runtime, { toolsListChanged: true });
    expect(await opened(fixed)).toEqual({});
    const key = await keyFor(runtime, "runs:read");
    const blind = await listenTo(runtime, { toolsListChanged: true }, { key, query: "?tools=actions" });
    expect(await opened(blind)).toEqual({});
    await runtime.control("POST", "/control/workspaces", { name: "other", tier: "business" });
    const headers = { "x-stepgate-workspace": "other" };
    const minted = await runtime.control<{ secret: string }>(
      "POST",
      "/control/keys",
      { name: "o", scopes: ["actions:read", "actions:run"] },
      headers,
    );
    const query = "?tools=actions";
    const foreign = await listenTo(runtime, { toolsListChanged: true }, { key: minted.body.secret, query });
    expect(await opened(foreign)).toEqual({ toolsListChanged: true });
    const own = await listenTo(runtime, { toolsListChanged: true }, { query });
    await opened(own);
    await runtime.publish(greet);
    expect(await own.next()).toMatchObject({ method: "notifications/tools/list_changed" });
    await runtime.settled();
    runtime.runtime.beginStop();
    for (const stream of [fixed, blind, foreign]) {
      expect(await stream.next()).toEqual({
        jsonrpc: "2.0",
        id: "s-1",
        result: { resultType: "complete", _meta: about },
      });
      expect(await stream.next()).toBeNull();
    }
  });

  it("tells of runs as resources and as tasks, several changes in a row as one", async () => {
    const { catalogue, letGo } = heldCatalogue();
    const runtime = await testRuntime({ catalogue });
    await runtime.publish(pass);
    const id = await startRun(runtime);
    const uris = [`run://${id}`, `run://${id}/journal`];
    const filter = {
      resourceSubscriptions: [...uris, `run://${unknownId}`, "action://pass"],
      // As everywhere, an id means its run in capitals, too.
      taskIds: [id.toUpperCase(), unknownId],
    };
    const stream = await listenTo(runtime, filter, { capabilities: tasks });
    expect(await opened(stream)).toEqual({ resourceSubscriptions: uris, taskIds: [id] });
    expect(await stream.next()).toMatchObject({
      method: "notifications/tasks",
      params: { taskId: id, status: "working", _meta: about },
    });
    await runtime.settled();
    letGo();
    await callTool(runtime, "get_run_status", { run_id: id, wait_seconds: 30 });
    await rest(runtime);
    const seen: StreamMessage[] = [];
    for (let count = 0; count < 3; count += 1) {
      const message = await stream.next();
      if (message) seen.push(message);
    }
    expect(seen.map(({ method, params }) => [method, params?.["uri"] ?? params?.["status"]])).toEqual(
      expect.arrayContaining([
        ["notifications/resources/updated", uris[0]],
        ["notifications/resources/updated", uris[1]],
        ["notifications/tasks", "completed"],
      ]),
    );
    expect(seen.find(({ method }) => method === "notifications/tasks")?.params).toMatchObject({
      result: { structuredContent: { run_id: id, status: "succeeded" } },
    });
    await stream.leave();
  });

  it("ends with an error when its key is revoked", async () => {
    const runtime = await testRuntime();
    const minted = await runtime.mintKey(["runs:read"]);
    const stream = await listenTo(runtime, {}, { key: minted.secret });
    await opened(stream);
    await runtime.control("POST", `/control/keys/${minted.id}/revoke`);
    const error = { message: "API key revoked", data: { code: "UNAUTHORIZED" } };
    expect(await stream.next()).toMatchObject({ id: "s-1", error });
    expect(await stream.next()).toBeNull();
  });

  it("is one of five of a key, and gives its place back when its client leaves", async () => {
    const runtime = await testRuntime();
    const streams: Listening[] = [];
    for (let count = 0; count < 5; count += 1) streams.push(await listenTo(runtime, {}));
    await Promise.all(streams.map(opened));
    const refused = await listenTo(runtime, {});
    expect(await refused.next()).toMatchObject({ error: { data: { code: "RATE_LIMIT_EXCEEDED" } } });
    await streams[0]?.leave();
    const next = await listenTo(runtime, {});
    expect(await opened(next)).toEqual({});
    await Promise.all([...streams.slice(1), next].map((stream) => stream.leave()));
  });

  it.each([
    ["no filter", undefined, -32602, /^params.notifications is missing: it must be an object$/],
    ["a list", [], -32602, /^params.notifications must be an object, not a list$/],
    [
      "a URI in place of a list",
      { resourceSubscriptions: "run://x", toolsListChanged: 1 },
      -32602,
      /^params.notifications.toolsListChanged must be true or false; params.notifications.resourceSubscriptions must be a list$/,
    ],
    [
      "too much",
      { resourceSubscriptions: Array.from({ length: 101 }, (_, at) => `run://${at}`) },
      -32602,
      /at most 100 resources and tasks$/,
    ],
    ["tasks, from a client that takes none", { taskIds: [] }, -32021, /declare the extension/],
  ])("is refused for %s", async (_, filter, code, words) => {
    const runtime = await testRuntime();
    const answer = await (await listenTo(runtime, filter)).next();
    expect(answer).toMatchObject({ id: "s-1", error: { code, message: expect.stringMatching(words) } });
  });

  it("is not known in the handshake era, whose lists are not said to tell of changes", async () => {
    const runtime = await testRuntime();
    const { body } = await request(runtime, "subscriptions/listen", { notifications: {} });
    expect(body.error?.code).toBe(-32601);
  });
});
