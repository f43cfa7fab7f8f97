import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Where a browser comes back to after a sign-in (RFC 8252, 7.3). */
export type LoopbackListener = {
  redirectUri: string;
  /** The address of the first request with this state; everything else is turned away. */
  redirected(state: string): Promise<string>;
  /** Tells the browser how it went, and ends the listener. */
  close(outcome: { title: string; text: string }): Promise<void>;
};

const path = "/callback";

/** Listens on this machine alone, under a port that the system chooses unless one is given. Rejects when it is taken. */
export async function listenForRedirect(port: number): Promise<LoopbackListener> {
  const { promise: answer, resolve } = Promise.withResolvers<{ url: string; response: ServerResponse }>();
  let wanted: string | null = null;
  let waiting: ServerResponse | null = null;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const isWanted = request.method === "GET" && url.pathname === path && url.searchParams.get("state") === wanted;
    if (!isWanted || wanted === null || waiting) return void response.writeHead(404, plain).end("Not found\n");
    waiting = response;
    resolve({ url: url.href, response });
  });
  const { promise: listening, resolve: isUp, reject: isTaken } = Promise.withResolvers<void>();
  server.once("error", isTaken);
  server.listen(port, "127.0.0.1", isUp);
  await listening;
  const { port: own } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${own}${path}`,
    async redirected(state) {
      wanted = state;
      return (await answer).url;
    },
    async close({ title, text }) {
      waiting?.writeHead(200, { ...plain, connection: "close" }).end(`${title}\n\n${text}\n`);
      const { promise: closed, resolve: isDown } = Promise.withResolvers<void>();
      server.close(() => isDown());
      server.closeIdleConnections();
      await closed;
    },
  };
}

/** Nothing of the page's address, which holds the code, goes anywhere else. */
const plain = {
  "content-type": "text/plain; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
