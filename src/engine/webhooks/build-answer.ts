import { type HttpAnswer, headerProblem } from "../../contract/webhook.ts";
import { cutText } from "../values/cut-text.ts";
import { isRecord, toText } from "../values/json.ts";

/** A resolved config of a Respond to Webhook node. */
export type RespondConfig = {
  mode: "json" | "text" | "no_body";
  statusCode: unknown;
  headers?: unknown;
  body?: unknown;
};

const contentTypes = { json: "application/json", text: "text/plain; charset=utf-8" } as const;

/** The answer that a resolved config says (spec 2.10), or why it can't be sent. */
export function buildAnswer(config: RespondConfig): { answer: HttpAnswer } | { problem: string } {
  const status = readStatus(config.statusCode);
  if (status === null)
    return { problem: `statusCode must be a whole number from 100 to 599: ${shown(config.statusCode)}` };
  if (status < 200) return { problem: `${status} announces another answer and can't be the last one` };
  const read = readHeaders(config.headers ?? {});
  if ("problem" in read) return read;
  if (config.mode === "no_body") return { answer: { status, headers: read.headers, body: null } };
  const body = config.mode === "text" ? toText(config.body ?? null) : toJsonText(config.body);
  if (body === null) return { problem: `body does not resolve to valid JSON: ${shown(config.body)}` };
  const headers = { "content-type": contentTypes[config.mode], ...read.headers };
  return { answer: { status, headers, body } };
}

function readStatus(value: unknown): number | null {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && Number.isInteger(status) && status >= 100 && status <= 599 ? status : null;
}

function readHeaders(given: unknown): { headers: Record<string, string> } | { problem: string } {
  if (!isRecord(given)) return { problem: `headers must be an object of texts: ${shown(given)}` };
  const entries = Object.entries(given).map(([name, value]) => [name, toText(value ?? null)] as const);
  for (const [name, value] of entries) {
    const problem = headerProblem(name, value);
    if (problem !== null) return { problem };
  }
  return { headers: Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value])) };
}

/** A text has to be JSON already; any other value becomes it. Null where it can't. */
function toJsonText(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== "string") return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    return null;
  }
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return cutText(text, 100);
}
