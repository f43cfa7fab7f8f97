import type { ManifestAuth } from "../../contract/manifest.ts";
import { CallError } from "../../engine/calls/call-error.ts";
import type { OpenConnection } from "../../engine/connector.ts";
import { scanTemplate } from "../../engine/templates/template-scan.ts";
import { toText } from "../../engine/values/json.ts";
import type { BuiltRequest } from "./compile-request.ts";
import { connectionRoot, scopeOf } from "./scope.ts";

/** Puts a connection's credentials into a request. Throws AUTH_EXPIRED as a CallError where nobody has signed in yet. */
export function applyAuth(auth: ManifestAuth, connection: OpenConnection | null, { url, headers }: BuiltRequest): void {
  if (!connection || auth.type === "none") return;
  const { secrets } = connection;
  switch (auth.type) {
    case "api_key":
      if (secrets["api_key"]) applyKey(auth, secrets["api_key"], url, headers);
      return;
    case "bearer":
      if (secrets["token"]) headers.set("authorization", `Bearer ${secrets["token"]}`);
      return;
    case "basic":
      applyBasic(connection, headers);
      return;
    case "oauth2":
      if (!secrets["access_token"]) throw notSignedIn(connection);
      headers.set("authorization", `Bearer ${secrets["access_token"]}`);
      return;
    case "custom":
      applyCustom(auth, connection, url, headers);
  }
}

function applyKey(auth: Extract<ManifestAuth, { type: "api_key" }>, key: string, url: URL, headers: Headers): void {
  if (auth.in === "query") url.searchParams.set(auth.name, key);
  else headers.set(auth.name, auth.prefix + key);
}

function applyBasic({ settings, secrets }: OpenConnection, headers: Headers): void {
  const username = toText(settings["username"] ?? null);
  const password = secrets["password"] ?? "";
  if (username !== "" || password !== "") headers.set("authorization", `Basic ${basic(username, password)}`);
}

/** A text that reads a field which the connection has not is left out. */
function applyCustom(
  auth: Extract<ManifestAuth, { type: "custom" }>,
  connection: OpenConnection,
  url: URL,
  headers: Headers,
): void {
  const scope = scopeOf({ connection: connectionRoot(connection, null) });
  const resolve = (template: string): string | null => {
    const texts = scanTemplate(template).parts.map((part) =>
      typeof part === "string" ? part : scope.read(part.root, part.path),
    );
    return texts.includes(undefined) ? null : texts.map(toText).join("");
  };
  for (const [name, template] of Object.entries(auth.headers ?? {})) {
    const value = resolve(template);
    if (value === null) continue;
    const own = name.toLowerCase() === "cookie" ? headers.get("cookie") : null;
    headers.set(name, own === null ? value : `${own}; ${value}`);
  }
  for (const [name, template] of Object.entries(auth.query ?? {})) {
    const value = resolve(template);
    if (value !== null) url.searchParams.set(name, value);
  }
}

/** Base64 of the UTF-8 bytes (RFC 7617). */
function basic(username: string, password: string): string {
  return new TextEncoder().encode(`${username}:${password}`).toBase64();
}

function notSignedIn({ name, connector }: OpenConnection): CallError {
  const message = `The connection ${name} has no access token yet: sign in to ${connector} first`;
  return new CallError({ code: "AUTH_EXPIRED", message, retryable: false });
}
