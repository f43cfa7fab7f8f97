import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Configuration } from "../../contract/configuration.ts";
import { CliError } from "../cli-error.ts";
import { findProjectFile } from "../find-project-file.ts";
import type { GlobalFlags } from "../globals.ts";
import type { Wiring } from "../wiring.ts";

type Place = { flags: GlobalFlags; env: NodeJS.ProcessEnv; wiring: Wiring };

/** Where settings are read from. Each is looked up once, and only when a command asks. */
export type ConfigurationAccess = {
  /** The user's config.yaml: --config, else $STEPGATE_CONFIG, else the one of this home. It need not exist. */
  userFile: () => Promise<string>;
  /** All that files and the environment say. */
  configuration: () => Promise<Configuration>;
  /** The value of a setting of the command line; undefined where nobody set one, for which nothing is loaded. */
  configured: (name: string) => Promise<unknown>;
};

/** Variables of the command line's own settings. */
const variables = /^STEPGATE_(?:RUN_|PUBLISH_|UI_THEME$|UI_CONFIRM_APPROVAL$|TIMEOUT$|WORKFLOWS$|EDITOR$)/;

export function accessConfiguration(place: Place): ConfigurationAccess {
  const { flags, env, wiring } = place;
  let known: Promise<Configuration> | undefined;
  const userFile = async () => findUserFile(place);
  const configuration = async () => (known ??= read());
  return {
    userFile,
    configuration,
    async configured(name) {
      const isSet = Object.keys(env).some((variable) => variables.test(variable)) || findProjectFile(process.cwd());
      if (!isSet && !existsSync(await userFile())) return undefined;
      const found = (await configuration()).settings.get(name);
      return found === undefined || found.origin === "default" ? undefined : found.value;
    },
  };

  async function read(): Promise<Configuration> {
    const file = await userFile();
    if (flags.config !== undefined && !existsSync(file)) {
      throw new CliError("usage", `There is no file ${file}, which --config names.`);
    }
    return wiring.readConfiguration({ env, userFile: file, projectFile: findProjectFile(process.cwd()) });
  }
}

async function findUserFile({ flags, env, wiring }: Place): Promise<string> {
  const named = flags.config ?? env["STEPGATE_CONFIG"];
  return named ? resolve(named) : join((await wiring.resolveHome(env)).configDir, "config.yaml");
}
