import { setTimeout as sleep } from "node:timers/promises";
import { errorStatus } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import { remoteHint } from "../answer-error.ts";
import { CliError } from "../cli-error.ts";
import type { Client } from "../client.ts";
import { exitOfAnswer } from "../exit-codes.ts";
import { isObject, type JsonObject } from "../parse-input.ts";

/** A window of the rate limit (spec 8). */
const patienceMs = 60_000;
const pauseMs = 2_000;

type Answer = {
  result?: { isError?: boolean; structuredContent?: Json; content?: { text?: string }[] };
  error?: { message: string };
};

/**
 * Calls a tool of the daemon's MCP endpoint and gives what it answers, in the shape that contract/ has for it. An error of
 * the tool becomes a CliError with its code and details; a rate limit is waited out for up to a minute.
 */
export async function callTool<T>(client: Client, name: string, args: object): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { isError, content } = await exchange(client, name, args);
    if (!isError) return content as T;
    const problem = toolError(isObject(content) ? content : {});
    if (problem.exit !== "busy" || performance.now() + pauseMs > deadline) throw problem;
    await sleep(pauseMs);
  }
}

async function exchange(client: Client, name: string, args: object): Promise<{ isError: boolean; content: Json }> {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const { result, error } = await client.post<Answer>("/mcp", body);
  if (!result) throw new CliError("failure", `The daemon refused ${name}: ${error?.message ?? "no result"}.`);
  const content: Json = result.structuredContent ?? JSON.parse(result.content?.[0]?.text ?? "null");
  return { isError: result.isError ?? false, content };
}

function toolError({ error, code: given, details }: JsonObject): CliError {
  const code = typeof given === "string" ? given : "INTERNAL_ERROR";
  const message = typeof error === "string" ? error : "The daemon refused and did not say why.";
  const status = Object.entries(errorStatus).find(([known]) => known === code)?.[1] ?? 500;
  return new CliError(exitOfAnswer(status, code), message, {
    code,
    httpStatus: status,
    hint: remoteHint(status, message),
    ...(Array.isArray(details) ? { details } : {}),
  });
}
