import type { Json } from "../contract/json.ts";
import { failureOfThrown } from "../engine/calls/call-error.ts";
import { failureOfStatus } from "../engine/calls/status-failure.ts";
import { type NodeContext, type StepError, type StepOutcome, done, fail } from "../engine/node.ts";
import { cutText } from "../engine/values/cut-text.ts";
import { type Path, isRecord, parseJson, readPath, toJson, toText } from "../engine/values/json.ts";
import { readPlainPath } from "./plain-path.ts";

/** A document as the store gave it, with its text as `content`. */
export type FoundDocument = { [key: string]: Json };

export type VectorSearch = {
  url: string;
  headers: Readonly<Record<string, unknown>>;
  body: unknown;
  /** Where the list lies in the answer, and the text in each of its items. */
  responsePath: string;
  documentContentField: string;
  topK: number;
};

type SearchContext = Pick<NodeContext<unknown>, "calls" | "signal" | "now">;

const what = "The vector store";

/** Posts the query to the vector store and takes the documents out of its answer; at most `topK` of them. */
export async function searchVectors(
  context: SearchContext,
  search: VectorSearch,
): Promise<{ documents: FoundDocument[] } | { error: StepError }> {
  if (!isHttpUrl(search.url)) return invalid("vectorStoreUrl is no http or https address");
  const request = buildRequest(search);
  if ("error" in request) return request;
  // Each host has a breaker of its own, as each connection of a connector has.
  const integration = { connector: `vector_store:${new URL(search.url).host}`, connectionId: null };
  const outcome = await context.calls.throughBreaker(integration, async () => post(context, search.url, request));
  if (outcome.kind === "fail") return { error: outcome.error };
  return readDocuments(outcome.kind === "done" ? outcome.output : null, search);
}

/** Whether a text is an address that a vector store may have. */
export function isHttpUrl(text: string): boolean {
  return ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "");
}

function buildRequest({ headers, body }: VectorSearch): { headers: Headers; body: string } | { error: StepError } {
  const json = typeof body === "string" ? parseJson(body) : body;
  if (json === undefined) return invalid("bodyTemplate is no JSON once its templates are resolved");
  const sent = new Headers({ accept: "application/json", "content-type": "application/json" });
  for (const [name, value] of Object.entries(headers)) {
    try {
      sent.set(name, toText(value));
    } catch {
      // The runtime's own message repeats the value, which may be a secret.
      return invalid(`The header ${JSON.stringify(name)} has a name or a value that no header may have`);
    }
  }
  return { headers: sent, body: JSON.stringify(json) };
}

async function post(
  { calls, signal, now }: SearchContext,
  url: string,
  request: { headers: Headers; body: string },
): Promise<StepOutcome> {
  try {
    const response = await calls.fetchThrough(null)(url, { ...request, method: "POST", signal });
    const text = await response.text();
    const error = failureOfStatus(response, { now: now(), what, detail: toldReason(text) });
    if (error) return { kind: "fail", error };
    const answer = parseJson(text);
    return answer === undefined ? fail("UNKNOWN", `${what} answered with something that is no JSON`) : done(answer);
  } catch (thrown) {
    return failureOfThrown(thrown);
  }
}

/** What a store says of an error, in the places where stores say it. */
function toldReason(text: string): string | undefined {
  const body = parseJson(text);
  const places: Path[] = [["status", "error"], ["error", "message"], ["error"], ["message"], ["detail"]];
  const found = places.map((path) => readPath(body, path)).find((value) => typeof value === "string");
  return typeof found === "string" ? cutText(found, 300) : undefined;
}

function readDocuments(
  answer: Json,
  { responsePath, documentContentField, topK }: VectorSearch,
): { documents: FoundDocument[] } | { error: StepError } {
  const list = readPath(answer, readPlainPath(responsePath));
  if (!Array.isArray(list)) {
    const place = responsePath === "" ? "" : ` at ${responsePath}`;
    return invalid(`The vector store's answer holds no list${place}; correct responsePath`);
  }
  const contentPath = readPlainPath(documentContentField);
  return { documents: list.slice(0, topK).map((item) => toDocument(item, contentPath)) };
}

function toDocument(item: unknown, contentPath: Path): FoundDocument {
  if (!isRecord(item)) return { content: typeof item === "string" ? item : toJson(item) };
  const content = toJson(readPath(item, contentPath));
  return { ...(item as FoundDocument), content };
}

function invalid(message: string): { error: StepError } {
  return { error: { code: "VALIDATION_ERROR", message, retryable: false } };
}
