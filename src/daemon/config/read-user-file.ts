import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { commandSettings } from "../../contract/command-settings.ts";
import type { Profile } from "../../contract/configuration.ts";
import { ApiError } from "../../contract/errors.ts";
import { settings } from "../../contract/settings.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import { isRecord } from "../../engine/values/json.ts";
import { flatten, parseMapping, readMapping } from "./read-mapping.ts";

export type UserFile = {
  /** Settings by name, unchecked. */
  values: ReadonlyMap<string, unknown>;
  profiles: ReadonlyMap<string, Profile>;
  defaultProfile: string | null;
};

/** Reads the user's config.yaml. Throws BAD_REQUEST for a key that is unknown, with the nearest known one. */
export function readUserFile(path: string, text?: string): UserFile {
  const {
    profiles: named,
    default_profile: preset,
    ...rest
  } = text === undefined ? readMapping(path) : parseMapping(path, text);
  const values = flatten(rest);
  const known = { ...settings, ...commandSettings };
  for (const name of values.keys()) {
    if (Object.hasOwn(known, name)) continue;
    const names = [...Object.keys(known), "profiles", "default_profile"];
    const hint = didYouMean(name, names) || "; `stepgate config list` shows all settings";
    throw new ApiError("BAD_REQUEST", `${path} names an unknown setting ${name}${hint}`);
  }
  const profiles = readProfiles(path, named ?? {});
  return { values, profiles, defaultProfile: readDefault(path, preset ?? null, profiles) };
}

function readDefault(path: string, name: unknown, profiles: ReadonlyMap<string, Profile>): string | null {
  if (name === null || (typeof name === "string" && profiles.has(name))) return name;
  const known = [...profiles.keys()];
  const shown = typeof name === "string" ? name : JSON.stringify(name);
  const hint = didYouMean(shown, known) || `; it has ${known.join(", ") || "none"}`;
  throw new ApiError("BAD_REQUEST", `default_profile in ${path} names no profile of it: ${shown}${hint}`);
}

function readProfiles(path: string, named: unknown): Map<string, Profile> {
  if (!isRecord(named)) throw new ApiError("BAD_REQUEST", `profiles in ${path} must be a mapping of names`);
  return new Map(Object.entries(named).map(([name, profile]) => [name, readProfile(path, name, profile ?? {})]));
}

const fields = ["url", "key_file"];

function readProfile(path: string, name: string, profile: unknown): Profile {
  const place = `profiles.${name} in ${path}`;
  if (!isRecord(profile)) throw new ApiError("BAD_REQUEST", `${place} must be a mapping with url and key_file`);
  for (const key of Object.keys(profile)) {
    if (fields.includes(key)) continue;
    if (/^(api_?)?key$/i.test(key)) {
      const message = `${place} holds a key itself: put the key into a file of its own (mode 0600) and name that as key_file`;
      throw new ApiError("BAD_REQUEST", message);
    }
    throw new ApiError(
      "BAD_REQUEST",
      `${place} has an unknown field ${key}${didYouMean(key, fields) || "; it may have url and key_file"}`,
    );
  }
  const file = textOf(place, profile, "key_file");
  return { url: textOf(place, profile, "url"), keyFile: file === null ? null : absolute(file, path) };
}

function textOf(place: string, profile: Record<string, unknown>, key: string): string | null {
  const value = profile[key] ?? null;
  if (value === null || (typeof value === "string" && value !== "")) return value;
  throw new ApiError("BAD_REQUEST", `${key} of ${place} must be a text`);
}

/** `~/` is the user's home; any other relative path starts at the file that names it. */
function absolute(file: string, from: string): string {
  return file.startsWith("~/") ? join(homedir(), file.slice(2)) : resolve(dirname(from), file);
}
