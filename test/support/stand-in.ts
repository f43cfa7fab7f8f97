import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Something that answers on a Unix socket as the test says: for answers that a healthy daemon doesn't give. */
export class StandIn implements AsyncDisposable {
  /** As STEPGATE_HOME it leads the command line here. */
  readonly home = mkdtempSync(join(tmpdir(), "stepgate-stand-in-"));
  readonly socketPath = join(this.home, "control.sock");
  readonly requests: IncomingMessage[] = [];
  readonly #server;

  constructor(handler: Handler) {
    this.#server = createServer((request, response) => {
      this.requests.push(request);
      handler(request, response);
    });
  }

  async listen(): Promise<this> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(this.socketPath, resolve);
    await promise;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
    rmSync(this.home, { recursive: true, force: true });
  }
}

export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
