import { readStatus } from "../commands/status.ts";
import type { Context } from "../context.ts";
import type { Reach } from "./clients.ts";
import { launcherPath } from "./launcher.ts";

export type Transport = "stdio" | "http";

/** Where the daemon listens unless it is told otherwise (contract 17). */
const usualUrl = "http://127.0.0.1:7717";

/** How an MCP client reaches the daemon that this command line would talk to. */
export async function findReach(
  { terminal: { env }, control, remoteAddress }: Context,
  transport: Transport,
): Promise<Reach> {
  const remote = (await remoteAddress())?.url;
  if (transport === "http") {
    const url = remote ?? (await readStatus(await control()))?.url ?? usualUrl;
    return { url: `${url.replace(/\/$/, "")}/mcp` };
  }
  // The client starts the program in an environment of its own.
  const kept = { STEPGATE_HOME: env["STEPGATE_HOME"], STEPGATE_URL: remote };
  const set = Object.entries(kept).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return {
    command: launcherPath(),
    args: ["mcp", "stdio"],
    ...(set.length > 0 && { env: Object.fromEntries(set) }),
  };
}
