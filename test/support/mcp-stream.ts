import { type PostOptions, type RpcBody, modern, modernHeaders, modernMeta } from "./mcp.ts";
import { type TestRuntime, bearer } from "./runtime.ts";

export type StreamMessage = Partial<RpcBody> & { method?: string; params?: Record<string, unknown> };

/** A stream of `subscriptions/listen`, or what it was refused with. */
export type Listening = {
  status: number;
  type: string | null;
  /** The next message; null when the stream has ended. */
  next(): Promise<StreamMessage | null>;
  leave(): Promise<void>;
};

/** Opens a stream as a modern client does. */
export async function listenTo(
  runtime: TestRuntime,
  notifications: unknown,
  { key = runtime.secret, query = "", capabilities = {} }: PostOptions = {},
): Promise<Listening> {
  const client = new AbortController();
  const params = { notifications, _meta: modernMeta(modern, capabilities) };
  const response = await runtime.request("POST", `//mcp${query}`, {
    headers: {
      "content-type": "application/json",
      ...(key !== null && bearer(key)),
      ...modernHeaders("subscriptions/listen"),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: "s-1", method: "subscriptions/listen", params }),
    signal: client.signal,
  });
  const type = response.headers.get("content-type");
  const isStream = type === "text/event-stream";
  const reader = isStream ? response.body?.pipeThrough(new TextDecoderStream()).getReader() : undefined;
  let text = "";
  return {
    status: response.status,
    type,
    async next() {
      if (!isStream) return response.json() as Promise<StreamMessage>;
      for (;;) {
        const end = text.indexOf("\n\n");
        const block = end === -1 ? null : text.slice(0, end);
        if (block !== null) text = text.slice(end + 2);
        const data = block?.split("\n").find((line) => line.startsWith("data: "));
        if (data !== undefined) return JSON.parse(data.slice("data: ".length)) as StreamMessage;
        if (block !== null) continue;
        const read = await reader?.read();
        if (!read || read.done) return null;
        text += read.value;
      }
    },
    async leave() {
      client.abort();
      await reader?.cancel();
    },
  };
}
