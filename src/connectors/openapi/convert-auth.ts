import type { ManifestAuth } from "../../contract/manifest.ts";
import { isRecord } from "../../engine/values/json.ts";
import { isFreeHeader } from "../manifest/check-request.ts";
import { type Part, type References, listOf, recordOf, textOf } from "./references.ts";

export type ConvertedAuth = { auth: ManifestAuth; warnings: string[] };

type Scheme = { name: string; scheme: Part; scopes: readonly string[] };

/** How calls authenticate: by what the description asks of all operations, else by the first scheme that it has. */
export function convertAuth(document: Part, refs: References): ConvertedAuth {
  const schemes = recordOf(recordOf(document, "components"), "securitySchemes");
  const demands = listOf(document, "security").filter(isRecord);
  const known = (demand: Part): Scheme[] | null => {
    const found = Object.entries(demand).map(([name, scopes]) => ({
      name,
      scheme: Object.hasOwn(schemes, name) ? refs.follow(schemes[name]) : null,
      scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [],
    }));
    const usable = found.flatMap(({ scheme, ...one }) => (scheme ? [{ ...one, scheme }] : []));
    return usable.length === found.length ? usable : null;
  };
  // No demand of the whole document: single operations may still have one.
  const optional = demands.length === 0 || demands.some((demand) => Object.keys(demand).length === 0);
  const wanted = demands.filter((demand) => Object.keys(demand).length > 0);
  const choices = wanted.length > 0 ? wanted : Object.keys(schemes).map((name) => ({ [name]: [] }));
  for (const choice of choices) {
    const all = known(choice);
    const [first, ...others] = all ?? [];
    if (!first) continue;
    const converted = others.length > 0 ? combine([first, ...others]) : convertScheme(first);
    if (!converted) continue;
    const auth = converted.auth.type === "none" ? converted.auth : { ...converted.auth, optional };
    return { auth, warnings: converted.warnings };
  }
  if (choices.length === 0) {
    const warning = "The description says nothing of authentication; a connection may give a token, sent as bearer";
    return { auth: { type: "bearer", optional: true }, warnings: [warning] };
  }
  const warning = `None of the ways to authenticate can be used: ${Object.keys(schemes).slice(0, 10).join(", ")}`;
  return { auth: { type: "none" }, warnings: [warning] };
}

function convertScheme({ name, scheme, scopes }: Scheme): ConvertedAuth | null {
  const type = textOf(scheme, "type");
  if (type === "oauth2") return convertOAuth2(scheme, scopes);
  if (type === "openIdConnect") return bearer(`${name}: OpenID Connect is not spoken; give a token as bearer`);
  if (type === "http") {
    const way = textOf(scheme, "scheme").toLowerCase();
    if (way === "basic") return { auth: { type: "basic", optional: false }, warnings: [] };
    return way === "bearer" ? bearer() : null;
  }
  const where = textOf(scheme, "in");
  const parameter = textOf(scheme, "name");
  if (type !== "apiKey" || parameter === "") return null;
  if (where === "cookie") return combine([{ name, scheme, scopes }]);
  if (where === "header" && !isFreeHeader(parameter)) return null;
  const place = where === "query" ? "query" : "header";
  return { auth: { type: "api_key", in: place, name: parameter, prefix: "", optional: false }, warnings: [] };
}

function bearer(...warnings: string[]): ConvertedAuth {
  return { auth: { type: "bearer", optional: false }, warnings };
}

function convertOAuth2(scheme: Part, asked: readonly string[]): ConvertedAuth | null {
  const flows = recordOf(scheme, "flows");
  const code = recordOf(flows, "authorizationCode");
  const client = recordOf(flows, "clientCredentials");
  const flow = textOf(code, "tokenUrl") === "" ? client : code;
  const tokenUrl = textOf(flow, "tokenUrl");
  const authorizationUrl = textOf(flow, "authorizationUrl");
  if (!isAddress(tokenUrl) || (flow === code && !isAddress(authorizationUrl))) {
    return bearer("The OAuth2 flows of the description can't be used; give a token as bearer");
  }
  const scopes = asked.length > 0 ? [...asked] : Object.keys(recordOf(flow, "scopes"));
  const base = { type: "oauth2" as const, tokenUrl, scopes, pkce: true, optional: false };
  return flow === code
    ? { auth: { ...base, grant: "authorization_code", authorizationUrl }, warnings: [] }
    : { auth: { ...base, grant: "client_credentials" }, warnings: [] };
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "";
}

type Sent = { headers: Record<string, string>; query: Record<string, string>; cookies: string[] };

/** Several schemes at once, or a cookie: fields of their own, and what is sent of them. */
function combine(schemes: readonly [Scheme, ...Scheme[]]): ConvertedAuth | null {
  const sent: Sent = { headers: {}, query: {}, cookies: [] };
  const fields = schemes.map(({ name }) => {
    const field = name.replace(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d)/, "_");
    return { name: field.slice(0, 64), label: name.slice(0, 200), secret: true, required: true };
  });
  const isPlaced = schemes.every(({ scheme }, at) => placeValue(scheme, `{{connection.${fields[at]?.name}}}`, sent));
  if (!isPlaced || new Set(fields.map(({ name }) => name)).size < fields.length) return null;
  const { headers, query, cookies } = sent;
  if (cookies.length > 0) headers["Cookie"] = cookies.join("; ");
  return { auth: { type: "custom", fields, headers, query, optional: false }, warnings: [] };
}

/** Puts a scheme's value where it belongs; false where it can't be sent. */
function placeValue(scheme: Part, value: string, { headers, query, cookies }: Sent): boolean {
  if (textOf(scheme, "type") !== "apiKey") {
    headers["Authorization"] = `Bearer ${value}`;
    return textOf(scheme, "scheme").toLowerCase() !== "basic";
  }
  const name = textOf(scheme, "name");
  const where = textOf(scheme, "in");
  if (where === "query") query[name] = value;
  else if (where === "cookie") cookies.push(`${name}=${value}`);
  else headers[name] = value;
  return name !== "" && (where !== "header" || isFreeHeader(name));
}
