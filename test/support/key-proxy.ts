import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A server before another one that adds a key to each request, for programs that cannot send one. Its own name in Host
 * and Origin becomes the other server's; foreign names pass as they are. Ends with the test.
 */
export async function keyProxy(target: URL, key: string): Promise<URL> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    if (headers.host === own.host) headers.host = target.host;
    if (headers.origin === own.origin) headers.origin = target.origin;
    const { method, url: path } = incoming;
    const { hostname: host, port } = target;
    const passed = request({ host, port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return own;
}
