import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { CliError, reasonOf, systemCode } from "../cli-error.ts";
import { Client } from "../client.ts";
import { runtimePath } from "../find-run.ts";
import { mcpKeyFile } from "../mcp/provide-key.ts";
import { findKey } from "../target.ts";
import type { Examined, Finding } from "./finding.ts";

const patienceMs = 3_000;

/** Whether the next start finds its port free. */
export async function checkPort({ context, status }: Examined): Promise<Finding> {
  if (status) return { name: "port", status: "ok", message: `The daemon listens at ${status.url}` };
  const { settings } = await context.configuration();
  const [host, port] = [String(settings.get("server.host")?.value), Number(settings.get("server.port")?.value)];
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return { name: "port", status: "ok", message: `${port} of ${host} is free` };
  } catch (error) {
    if (systemCode(error) !== "EADDRINUSE") return { name: "port", status: "fail", message: reasonOf(error) };
    const holder = (await isStepgate(`http://${host}:${port}`)) ? "another Stepgate daemon" : "another program";
    const message = `${port} of ${host} is taken by ${holder}`;
    return { name: "port", status: "fail", message, fix: "stepgate serve --port 0, or set server.port" };
  } finally {
    server.close();
  }
}

async function isStepgate(url: string): Promise<boolean> {
  const health: unknown = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(patienceMs) })
    .then(async (response) => response.json())
    .catch(() => null);
  return typeof health === "object" && health !== null && "version" in health;
}

/** Whether callers over HTTP are let in. */
export async function checkHealth({ status }: Examined): Promise<Finding[]> {
  if (!status) return [];
  try {
    const response = await fetch(`${status.url}/readyz`, { signal: AbortSignal.timeout(patienceMs) });
    if (response.ok) return [{ name: "health", status: "ok", message: "Lets callers in" }];
    return [{ name: "health", status: "warn", message: `Lets nobody in yet (HTTP ${response.status})` }];
  } catch (error) {
    const message = `${status.url} does not answer: ${reasonOf(error)}`;
    return [{ name: "health", status: "fail", message, fix: "Stop the daemon and start it anew" }];
  }
}

/** Whether the daemon that commands and agents would talk to takes the key that they would show. */
export async function checkKey({ context, home, status }: Examined): Promise<Finding[]> {
  const { flags, terminal } = context;
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const remote = await context.remote();
    const file = mcpKeyFile(home);
    if (!remote && (!status || !existsSync(file))) return [];
    const target = remote ?? { url: new URL(status?.url ?? ""), key: findKey(flags, terminal.env, file) };
    const client = new Client(target, { signal });
    client.patienceMs = 0;
    await client.get(`${runtimePath}/runs`, { limit: 1 });
    const where = "url" in target ? target.url.origin : "the daemon";
    return [{ name: "key", status: "ok", message: `${where} takes it` }];
  } catch (error) {
    if (error instanceof CliError && error.extra.code === "FORBIDDEN") {
      return [{ name: "key", status: "ok", message: `It is taken, and may not list runs: ${error.message}` }];
    }
    const fix = "Mint another: stepgate keys mint --name NAME --out FILE";
    return [{ name: "key", status: "fail", message: reasonOf(error), fix }];
  }
}
