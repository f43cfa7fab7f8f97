import type { BuildIssue, ManifestOperation } from "../../contract/manifest.ts";
import { scanTemplate } from "../../engine/templates/template-scan.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import { errorAt } from "./build-issue.ts";
import { type Roots, checkTemplates } from "./check-templates.ts";

type Request = ManifestOperation["request"];
type Place = readonly PropertyKey[];

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Headers that belong to the connection itself, and those that say where a request goes. */
const ownHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
  "keep-alive",
  "expect",
  "proxy-authorization",
  "proxy-connection",
  "idempotency-key",
]);

/** Whether a manifest may set a header of this name. */
export function isFreeHeader(name: string): boolean {
  return token.test(name) && !ownHeaders.has(name.toLowerCase());
}

/** Checks what a call sends. `place` is the request, `path` lies at `pathPlace`. */
export function checkRequest(
  { method, path, ...request }: Request & { method: string; path: string },
  place: Place,
  pathPlace: Place,
  roots: Roots,
): BuildIssue[] {
  const { query = {}, headers = {}, cookies = {}, body } = request;
  const issues = checkPath(path, pathPlace, roots);
  issues.push(...checkTemplates(query, [...place, "query"], roots));
  issues.push(...checkTemplates(headers, [...place, "headers"], roots));
  issues.push(...checkTemplates(cookies, [...place, "cookies"], roots));
  issues.push(...checkNames(request, place));
  if (body === undefined) return issues;
  if (method === "GET" || method === "HEAD") {
    issues.push(errorAt([...place, "body"], "body_not_allowed", `A ${method} has no body: use query`));
  }
  issues.push(...checkTemplates(body, [...place, "body"], roots));
  return issues;
}

function checkNames({ query = {}, queryStyle = {}, headers = {}, cookies = {} }: Request, place: Place): BuildIssue[] {
  const wrong = (part: string, code: string, names: readonly string[], word: (name: string) => string) =>
    names.map((name) => errorAt([...place, part, name], code, word(name)));
  const known = Object.keys(query);
  const headerNames = Object.keys(headers).filter((name) => !isFreeHeader(name));
  const cookieNames = Object.keys(cookies).filter((name) => !token.test(name));
  const styled = Object.keys(queryStyle).filter((name) => !known.includes(name));
  return [
    ...wrong("headers", "invalid_header", headerNames, (name) => `${name} is no header that a call may set`),
    ...wrong("cookies", "invalid_cookie", cookieNames, (name) => `${name} is no name of a cookie`),
    ...wrong("queryStyle", "unknown_name", styled, (name) => {
      return `queryStyle names ${name}, which query has not${didYouMean(name, known)}`;
    }),
  ];
}

/** The literal parts of a path must leave it below baseUrl; what templates put in is encoded. */
function checkPath(path: string, place: Place, roots: Roots): BuildIssue[] {
  const issues = checkTemplates(path, place, roots);
  const { parts } = scanTemplate(path);
  const literal = parts.map((part) => (typeof part === "string" ? part : "x")).join("");
  if (/[?#\\\s\p{Cc}]/u.test(literal)) {
    const message = "The path holds ?, #, \\ or white space; parameters belong into request.query";
    issues.push(errorAt(place, "invalid_path", message));
  }
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(literal)) {
    issues.push(errorAt(place, "invalid_path", "The path has a . or .. segment, which would leave baseUrl"));
  }
  return issues;
}
