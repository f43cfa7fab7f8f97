import { commandSettings } from "../../contract/command-settings.ts";
import type { Configuration, ConfigurationSources } from "../../contract/configuration.ts";
import { settings } from "../../contract/settings.ts";
import { readProjectFile } from "./read-project-file.ts";
import { readUserFile } from "./read-user-file.ts";
import { resolveSettings } from "./resolve-settings.ts";

/** Every setting with its value and where it came from (contract 17), and the profiles. Throws BAD_REQUEST. */
export function readConfiguration({ env, userFile, projectFile }: ConfigurationSources): Configuration {
  const { values, profiles, defaultProfile } = readUserFile(userFile);
  const project = projectFile === null ? undefined : { file: projectFile, values: readProjectFile(projectFile) };
  const resolved = resolveSettings(
    { ...settings, ...commandSettings },
    { env, project, user: { file: userFile, values } },
  );
  return { settings: resolved, profiles, defaultProfile, userFile, projectFile };
}
