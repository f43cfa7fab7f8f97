import { existsSync } from "node:fs";
import type { Profile } from "../contract/configuration.ts";
import { CliError } from "./cli-error.ts";
import type { ConfigurationAccess } from "./config/sources.ts";
import type { GlobalFlags } from "./globals.ts";

export type Sources = Pick<ConfigurationAccess, "userFile" | "configuration"> & {
  flags: GlobalFlags;
  env: NodeJS.ProcessEnv;
};

/** Where another daemon is, and the key file that goes with it. `isTyped`: a flag of this very command says so. */
export type Address = { url: string; keyFile: string | null; isTyped: boolean };

/**
 * The daemon that --url or --profile names, else $STEPGATE_URL, $STEPGATE_PROFILE or default_profile of config.yaml; null
 * for the daemon of this machine. A key file comes from the profile that names the address alone, so that no key is ever
 * shown to another daemon than the one it was written down for.
 */
export async function findAddress(sources: Sources): Promise<Address | null> {
  const { flags, env } = sources;
  if (flags.url !== undefined && flags.profile !== undefined) {
    throw new CliError("usage", "--url and --profile both name a daemon: give one of them.");
  }
  if (flags.url !== undefined) return { url: flags.url, keyFile: null, isTyped: true };
  if (flags.profile === undefined && env["STEPGATE_URL"]) {
    return { url: env["STEPGATE_URL"], keyFile: null, isTyped: false };
  }
  const profile = await findProfile(sources);
  if (!profile?.url) return null;
  return { url: profile.url, keyFile: profile.keyFile, isTyped: flags.profile !== undefined };
}

/** Without a profile's name and a file that could name one, nothing is read: most commands are for the daemon here. */
async function findProfile({ flags, env, userFile, configuration }: Sources): Promise<Profile | null> {
  const named = flags.profile ?? (env["STEPGATE_PROFILE"] || undefined);
  if (named === undefined && !existsSync(await userFile())) return null;
  const { profiles, defaultProfile, userFile: file } = await configuration();
  const name = named ?? defaultProfile;
  if (name === null) return null;
  const profile = profiles.get(name);
  if (profile) return profile;
  const known = [...profiles.keys()];
  throw new CliError("usage", `There is no profile ${name} in ${file}.`, {
    hint:
      known.length > 0
        ? `it has ${known.join(", ")}`
        : `write it there: profiles: { ${name}: { url: …, key_file: … } }`,
  });
}
