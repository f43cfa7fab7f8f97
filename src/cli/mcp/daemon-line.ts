import type { Json } from "../../contract/json.ts";
import { connectionError } from "../answer-error.ts";
import { CliError, systemCode } from "../cli-error.ts";
import { readStatus } from "../commands/status.ts";
import type { Context } from "../context.ts";
import { type Answer, type Target, openResponse, readAnswer } from "../exchange.ts";
import { findKey } from "../target.ts";
import { headersOf } from "./headers.ts";
import { mcpKeyFile } from "./provide-key.ts";

/**
 * Posts messages to the daemon's MCP endpoint. The daemon is looked up when it is needed and again when it has gone, so
 * that a client may start before it and outlive it. Rejects with a CliError that says what is missing.
 */
export function openLine(context: Context): (message: Json, signal: AbortSignal) => Promise<Answer> {
  let known: Target | null = null;

  async function post(message: Json, signal: AbortSignal, isRepeat = false): Promise<Answer> {
    const isRemembered = known !== null;
    const target = (known ??= await findTarget(context));
    try {
      const request = { method: "POST", path: "/mcp", body: message, headers: headersOf(message), signal } as const;
      return await readAnswer(await openResponse(target, request));
    } catch (error) {
      known = null;
      // Nobody listened, so nothing was done: the daemon may have come back elsewhere.
      if (isRemembered && !isRepeat && systemCode(error) === "ECONNREFUSED") return post(message, signal, true);
      throw connectionError(target, error);
    }
  }

  return async (message, signal) => post(message, signal);
}

async function findTarget({ flags, terminal: { env }, wiring, control, remote }: Context): Promise<Target> {
  const other = await remote();
  if (other) return other;
  const status = await readStatus(await control());
  if (!status)
    throw new CliError("unreachable", "The daemon is not running", { hint: "start it with: stepgate serve" });
  return { url: new URL(status.url), key: findKey(flags, env, mcpKeyFile(await wiring.resolveHome(env))) };
}
