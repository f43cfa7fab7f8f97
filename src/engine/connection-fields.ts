import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { AuthField, Connector } from "./connector.ts";
import { nearestName } from "./definition/nearest-name.ts";
import { tokenExpiry } from "./oauth/token-set.ts";

type Given = { settings: { readonly [key: string]: Json }; secrets: Readonly<Record<string, string>> };
type Problem = { field: string; message: string };

/** Settings that every connection has (contract 13). */
const commonSettings = ["baseUrl", "allowPrivateNetwork", "requireApproval"] as const;

/**
 * Settings as they are kept, and what they say of approvals: that is a field of the connection of its own, which a setting
 * may be used for as well. Undefined: nothing.
 */
export function separateGate({ requireApproval, ...settings }: Given["settings"]): {
  settings: { [key: string]: Json };
  requireApproval: boolean | undefined;
} {
  return { settings, requireApproval: typeof requireApproval === "boolean" ? requireApproval : undefined };
}

/**
 * Checks what a connection is given against what its connector asks for. Throws BAD_REQUEST with every problem; no value
 * is repeated in it.
 */
export function checkConnectionFields({ slug, auth }: Pick<Connector, "slug" | "auth">, given: Given): void {
  const problems = [
    ...Object.keys(given.settings).flatMap((name) => checkName(slug, auth.fields, name, false)),
    ...Object.keys(given.secrets).flatMap((name) => checkName(slug, auth.fields, name, true)),
    ...checkCommon(given.settings),
    ...auth.fields.flatMap((field) => checkRequired(field, given)),
  ];
  if (problems.length === 0) return;
  const summary = problems.map(({ message }) => message).join("; ");
  throw new ApiError("BAD_REQUEST", `The connection to ${slug} is not complete or not right: ${summary}`, {
    details: problems,
  });
}

function checkName(slug: string, fields: readonly AuthField[], name: string, isSecret: boolean): Problem[] {
  const field = fields.find((each) => each.name === name);
  if (field?.secret === isSecret || isEverywhere(fields, name, isSecret)) return [];
  const shown = name.slice(0, 100);
  const at = `${isSecret ? "secrets" : "settings"}.${shown}`;
  if (field && isSecret) return [{ field: at, message: `${shown} is no secret: give it among the settings` }];
  if (field) return [{ field: at, message: `${shown} is a secret: give it among the secrets, never in settings` }];
  const known = fields.filter((each) => each.secret === isSecret).map((each) => each.name);
  const hint = hintOf(name, isSecret ? known : [...known, ...commonSettings]);
  return [{ field: at, message: `${slug} has no ${isSecret ? "secret" : "setting"} ${shown}; ${hint}` }];
}

/** What every connection may have, whatever its connector asks for. */
function isEverywhere(fields: readonly AuthField[], name: string, isSecret: boolean): boolean {
  if (!isSecret) return commonSettings.some((common) => common === name);
  // Kept with tokens, and asked of nobody.
  return name === tokenExpiry && fields.some((each) => each.name === "access_token");
}

function hintOf(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest ? `did you mean ${nearest}?` : `it has ${known.join(", ") || "none"}`;
}

function checkRequired({ name, label, secret, required }: AuthField, { settings, secrets }: Given): Problem[] {
  const value = secret ? own(secrets, name) : own(settings, name);
  if (!required || (value !== undefined && value !== "" && value !== null)) return [];
  const place = secret ? "secrets" : "settings";
  return [{ field: `${place}.${name}`, message: `${name} (${label}) is missing from the ${place}` }];
}

function checkCommon(settings: Given["settings"]): Problem[] {
  const problems: Problem[] = [];
  const baseUrl = own(settings, "baseUrl");
  if (baseUrl !== undefined && !isBaseUrl(baseUrl)) {
    const message = "baseUrl must be an http or https address without a user name or password in it";
    problems.push({ field: "settings.baseUrl", message });
  }
  for (const name of ["allowPrivateNetwork", "requireApproval"]) {
    const truth = own(settings, name);
    if (truth === undefined || typeof truth === "boolean") continue;
    problems.push({ field: `settings.${name}`, message: `${name} must be true or false` });
  }
  return problems;
}

function isBaseUrl(value: Json): boolean {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

function own<Value>(fields: { readonly [key: string]: Value }, name: string): Value | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
