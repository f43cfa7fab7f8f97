import type { Json } from "../../contract/json.ts";
import type { WebhookTrigger } from "../../contract/manifest.ts";
import type { ConnectorEvent, PushAnswer, PushRequest } from "../../engine/connector.ts";
import { parsePath } from "../../engine/templates/path.ts";
import { compileConfig } from "../../engine/templates/template.ts";
import { deepEqual, parseJson, readPath, toJson, toText } from "../../engine/values/json.ts";
import { scopeOf } from "./scope.ts";
import { checkSignature } from "./check-signature.ts";

/** Decodes a request to a push subscription: verifies it, takes its events, words the answer. Does no I/O. */
export function compilePush(trigger: WebhookTrigger): (request: PushRequest) => PushAnswer {
  const { signature, when = [], events, id, output, answer } = trigger;
  const path = events === "" ? [] : parsePath(events);
  const eventsAt = "message" in path ? [] : path;
  const filters = when.map(({ value, equals }) => ({ value: compileConfig(value), equals }));
  const idOf = compileConfig(id);
  const outputOf = output === undefined ? null : compileConfig(output);
  const answerOf = compileConfig(answer?.body ?? "");
  return (request) => {
    const problem = signature ? checkSignature(signature, request) : null;
    if (problem !== null) return { kind: "refused", status: 401, message: problem };
    const body = readPushBody(request);
    if (body === undefined) return { kind: "refused", status: 400, message: "The body is not valid JSON" };
    const roots = { body, headers: Object.fromEntries(request.headers), query: Object.fromEntries(request.query) };
    const withParams = { ...roots, params: request.params };
    const response = answer && {
      status: answer.status,
      headers: { "content-type": answer.contentType },
      body: toText(answerOf.resolve(scopeOf(roots))),
    };
    const fits = filters.every(({ value, equals }) => deepEqual(value.resolve(scopeOf(withParams)) ?? null, equals));
    const found = fits ? toJson(readPath(body, eventsAt)) : null;
    const told = listOf(found).map((item): ConnectorEvent | null => {
      const own = toText(idOf.resolve(scopeOf({ ...roots, item })) ?? null);
      const value = outputOf ? toJson(outputOf.resolve(scopeOf({ ...withParams, item }))) : item;
      return own === "" ? null : { id: own, output: value };
    });
    if (told.includes(null)) return { kind: "refused", status: 400, message: "An event of the body has no id" };
    return { kind: "events", events: told.filter((event) => event !== null), ...(response && { response }) };
  };
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : value === null ? [] : [value];
}

/** A form as an object of texts, no body as an empty one, everything else as JSON; undefined when it is none. */
function readPushBody({ headers, body }: PushRequest): Json | undefined {
  const text = new TextDecoder().decode(body);
  if (text.trim() === "") return {};
  const isForm = /^application\/x-www-form-urlencoded/i.test(headers.get("content-type") ?? "");
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
}
