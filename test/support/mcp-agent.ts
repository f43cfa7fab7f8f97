import type { ErrorBody } from "../../src/contract/errors.ts";
import type { LiveDaemon } from "./live-daemon.ts";
import type { ToolResult } from "./mcp.ts";

/** What an agent does: it calls tools with its key, and reads their results. */
export type Agent = {
  call<Body>(name: string, args?: unknown): Promise<Body>;
  /** Calls a tool that has to fail and gives its error. */
  fail(name: string, args?: unknown): Promise<ErrorBody>;
};

/** An agent that knows a daemon's address and a key, and nothing else. */
export function agentOf(daemon: Pick<LiveDaemon, "url">, key: string): Agent {
  async function post(name: string, args: unknown): Promise<ToolResult<unknown>> {
    const params = { name, arguments: args ?? {} };
    const response = await fetch(new URL("/mcp", daemon.url), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const body = (await response.json()) as { result?: ToolResult<unknown> };
    if (!body.result) throw new Error(JSON.stringify(body));
    return body.result;
  }

  return {
    async call<Body>(name: string, args?: unknown) {
      const result = await post(name, args);
      if (result.structuredContent === undefined) throw new Error(JSON.stringify(result));
      return result.structuredContent as Body;
    },
    async fail(name, args) {
      const result = await post(name, args);
      if (!result.isError) throw new Error(JSON.stringify(result));
      return JSON.parse(result.content[0].text) as ErrorBody;
    },
  };
}
