import type { OpenConnection } from "../../engine/connector.ts";

/** Puts a connection's credentials into a request: bearer token, basic, or an API key in a header or the query. */
export function applyCredentials({ settings, secrets }: OpenConnection, url: URL, headers: Headers): void {
  const { token, password, api_key: apiKey } = secrets;
  const username = textOf(settings["username"]);
  if (token) headers.set("authorization", `Bearer ${token}`);
  else if (username !== null) headers.set("authorization", `Basic ${encode(`${username}:${password ?? ""}`)}`);
  if (!apiKey) return;
  const queryName = textOf(settings["query_name"]);
  if (queryName === null) headers.set(textOf(settings["header_name"]) ?? "x-api-key", apiKey);
  else url.searchParams.set(queryName, apiKey);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Base64 of the UTF-8 bytes (RFC 7617). */
function encode(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
