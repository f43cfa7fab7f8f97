import { once } from "node:events";
import { type Server, createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import type { Context } from "../context.ts";
import { openLine } from "./daemon-line.ts";

const message = { jsonrpc: "2.0", id: 1, method: "ping" };

/** Listens as a daemon that knows one key and tells of its rate to nobody else; at this port, or at any. */
async function serve(key: string, port = 0): Promise<{ server: Server; port: number; asked: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    const isKnown = request.headers.authorization === `Bearer ${key}`;
    // No connection is kept, for one would break where the next message should find nobody.
    response.writeHead(isKnown ? 200 : 401, { connection: "close", ...(isKnown && { "x-ratelimit-limit": "60" }) });
    response.end(isKnown ? "known" : "stranger");
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return { server, port: typeof address === "object" && address ? address.port : 0, asked: () => count };
}

/** Asks the daemon that `find` names each time that it is looked up; gives what it says. */
function line(find: () => Promise<{ port: number; key: string }>) {
  const remote: Context["remote"] = async () => {
    const { port, key } = await find();
    return { url: new URL(`http://127.0.0.1:${port}`), key };
  };
  // The line asks nothing else of its context where another daemon is named.
  const post = openLine({ remote } as Context);
  return async () => (await post(message, new AbortController().signal, () => undefined))?.content;
}

it("a daemon that has to be started again is asked again, also at the address where nobody listened", async () => {
  const { server, port } = await serve("k");
  let isFirst = true;
  const ask = line(async () => {
    if (!isFirst) await serve("k", port);
    isFirst = false;
    return { port, key: "k" };
  });
  expect(await ask()).toBe("known");
  server.close();
  await once(server, "close");
  expect(await ask()).toBe("known");
});

it("a key that is not taken is looked up anew, and the daemon asked once more only where it is another one", async () => {
  const { port, asked } = await serve("new");
  const keys = ["old", "old", "new"];
  const ask = line(async () => ({ port, key: keys.shift() ?? "new" }));
  expect(await ask()).toBe("stranger");
  expect([await ask(), asked()]).toEqual(["stranger", 2]);
  expect([await ask(), asked()]).toEqual(["known", 4]);
});

it("a key that cannot be looked up any more leaves the client with what the daemon said", async () => {
  const { port } = await serve("new");
  let isGone = false;
  const ask = line(async () => {
    if (isGone) throw new Error("There is no API key to show.");
    isGone = true;
    return { port, key: "old" };
  });
  expect([await ask(), await ask()]).toEqual(["stranger", "stranger"]);
});
