// Requests over kept-alive connections: one at a time, or as many as so many clients can make.
import { Agent, request } from "node:http";

export type Sent = { method: string; headers: Record<string, string>; body: string };

/** Sends a request and reads its answer to the end. */
export async function send(
  agent: Agent,
  url: string | URL,
  { method, headers, body }: Sent,
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const length = body === "" ? {} : { "content-length": Buffer.byteLength(body) };
  const sent = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

/** Has each of so many clients call again and again for so long; how many milliseconds each call took. */
export async function load(clients: number, ms: number, call: (agent: Agent) => Promise<void>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  const until = performance.now() + ms;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const startedAt = performance.now();
      await call(agent);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return times;
}
