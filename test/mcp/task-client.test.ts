import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";
import { expect, it, onTestFinished } from "vitest";
import { liveDaemon } from "../support/live-daemon.ts";
import { modern, modernHeaders } from "../support/mcp.ts";
import { greet } from "../support/workflows.ts";

const clientInfo = { name: "stepgate-test", version: "1.0.0" };
const clientCapabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };

type Wire = { method: string; params: Record<string, unknown> };
type WireAnswer = { result?: never; error?: never };

/** A session of the official client of the extension, with the wire of its own that it asks of a modern server. */
async function openSession(url: URL, key: string, name = "stepgate") {
  const headers = { authorization: `Bearer ${key}` };
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: modern } } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  onTestFinished(async () => client.close());
  const sent: string[] = [];
  const session = createTaskSessionFromClient(client, {
    endpointId: name,
    v2RequestFraming: { protocolVersion: modern, clientInfo, clientCapabilities },
    async rawDispatch(request) {
      const { method, params } = request as unknown as Wire;
      sent.push(method);
      const named = params["name"] ?? params["taskId"];
      const response = await fetch(url, {
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/json",
          ...modernHeaders(method, typeof named === "string" ? named : undefined),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: sent.length, method, params }),
      });
      const { result, error } = (await response.json()) as WireAnswer;
      return error ? { kind: "error", error } : { kind: "result", result: result as never };
    },
  });
  onTestFinished(async () => session.close());
  return { session, sent };
}

it("the official client of the extension starts a run, follows its task and reads the result", async () => {
  const daemon = await liveDaemon();
  await daemon.publish(greet);
  const { session, sent } = await openSession(new URL("/mcp", daemon.url), await daemon.mintKey());
  const execution = await session.callTool("run_action", { slug: "greet", input: { name: "Ada" } });
  expect(execution.kind).toBe("task");
  const { outcome } = await execution.settle();
  expect(outcome).toMatchObject({
    status: "completed",
    result: { structuredContent: { status: "succeeded", output: { text: "Hello Ada" } } },
  });
  expect(new Set(sent)).toEqual(new Set(["tools/call", "tasks/get"]));
  const immediate = await session.callTool("list_actions", {});
  expect(immediate.kind).toBe("immediate");
});
