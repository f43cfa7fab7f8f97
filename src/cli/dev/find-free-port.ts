import { once } from "node:events";
import { createServer } from "node:net";
import { CliError, systemCode } from "../cli-error.ts";

/** How many ports after the wanted one are tried (cli.md, daemon lifecycle). */
const further = 10;

/** The wanted port, or the next one after it that nobody listens on; 0 stays 0, which takes any. */
export async function findFreePort(host: string, wanted: number): Promise<number> {
  if (wanted === 0) return 0;
  const last = Math.min(wanted + further, 65_535);
  for (let port = wanted; port <= last; port += 1) if (await isFree(host, port)) return port;
  throw new CliError("conflict", `The ports ${wanted} to ${last} are all in use.`, {
    hint: "choose another with --port, or any free one with --port 0",
  });
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return true;
  } catch (error) {
    // Any other error is the daemon's to explain.
    return systemCode(error) !== "EADDRINUSE";
  } finally {
    server.close();
  }
}
