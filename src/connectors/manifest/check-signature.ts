import { createHmac } from "node:crypto";
import type { WebhookTrigger } from "../../contract/manifest.ts";
import type { PushRequest } from "../../engine/connector.ts";
import { scanTemplate } from "../../engine/templates/template-scan.ts";
import { toText } from "../../engine/values/json.ts";
import { isSameSecret } from "../same-secret.ts";
import { connectionRoot, scopeOf } from "./scope.ts";

type Signature = NonNullable<WebhookTrigger["signature"]>;

const refused = "Invalid webhook signature";

/** Null when a request is signed as the rule says. The comparison takes the same time wherever texts differ. */
export function checkSignature(rule: Signature, request: PushRequest): string | null {
  const secret = toText(connectionRoot(request.connection, null)[rule.secret] ?? null);
  if (secret === "") return refused;
  const isRight = rule.scheme === "token" ? hasToken(rule, secret, request) : isSigned(rule, secret, request);
  return isRight ? null : refused;
}

function hasToken(rule: Extract<Signature, { scheme: "token" }>, secret: string, request: PushRequest): boolean {
  const given = rule.in === "query" ? request.query.get(rule.name) : request.headers.get(rule.name);
  return given !== null && isSameSecret(given, secret);
}

function isSigned(rule: Extract<Signature, { scheme: "hmac" }>, secret: string, request: PushRequest): boolean {
  const given = request.headers.get(rule.header);
  if (given === null || !given.startsWith(rule.prefix)) return false;
  if (rule.timestampHeader !== undefined && !isRecent(request, rule.timestampHeader, rule.toleranceSeconds))
    return false;
  const hmac = createHmac(rule.algorithm, secret);
  for (const part of payloadParts(rule.payload, request)) hmac.update(part);
  const wanted = hmac.digest(rule.encoding);
  const shown = given.slice(rule.prefix.length);
  return isSameSecret(rule.encoding === "hex" ? shown.toLowerCase() : shown, wanted);
}

/** The body goes in as it came, byte for byte. */
function payloadParts(payload: string, { headers, query, body }: PushRequest): (string | Uint8Array)[] {
  const scope = scopeOf({ headers: Object.fromEntries(headers), query: Object.fromEntries(query) });
  return scanTemplate(payload).parts.map((part) => {
    if (typeof part === "string") return part;
    return part.root === "body" ? body : toText(scope.read(part.root, part.path) ?? null);
  });
}

function isRecent({ headers, now }: PushRequest, name: string, toleranceSeconds: number): boolean {
  const given = headers.get(name) ?? "";
  if (!/^\d{1,12}$/.test(given)) return false;
  return Math.abs(now().getTime() / 1000 - Number(given)) <= toleranceSeconds;
}
