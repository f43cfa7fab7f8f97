import { commandSettings, projectSettings } from "../../contract/command-settings.ts";
import { ApiError } from "../../contract/errors.ts";
import { settings } from "../../contract/settings.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import { flatten, readMapping } from "./read-mapping.ts";

/** Where a key goes and which programs start is the user's own affair: a repository that was cloned must not say it. */
const forbidden = new Set([
  "url",
  "key",
  "key_file",
  "api_key",
  "host",
  "db",
  "editor",
  "pager",
  "profiles",
  "default_profile",
]);

/** Reads a project's file, values unchecked. Throws BAD_REQUEST for any setting that is not a project's. */
export function readProjectFile(path: string): ReadonlyMap<string, unknown> {
  const values = flatten(readMapping(path));
  for (const name of values.keys()) if (!Object.hasOwn(projectSettings, name)) throw refuse(path, name);
  return values;
}

function refuse(path: string, name: string): ApiError {
  const [first = name] = name.split(".");
  const isKnown = Object.hasOwn(settings, name) || Object.hasOwn(commandSettings, name);
  if (forbidden.has(first) || first === "server" || isKnown) {
    const why = "a project's file comes with the project and may set workflows, publish.* and run.* alone";
    return new ApiError(
      "BAD_REQUEST",
      `${path} may not set ${name}: ${why}; \`stepgate config path\` names the file for it`,
    );
  }
  const hint = didYouMean(name, Object.keys(projectSettings)) || "; it may have workflows, publish.* and run.*";
  return new ApiError("BAD_REQUEST", `${path} names an unknown setting ${name}${hint}`);
}
