import type { SettingValue } from "./settings.ts";

/** A daemon that config.yaml has a name for; without a url the one of this machine. */
export type Profile = {
  url: string | null;
  /** Absolute. */
  keyFile: string | null;
};

/** All that flags, environment and files say. */
export type Configuration = {
  /** By name: the daemon's settings, then those of the command line. */
  settings: ReadonlyMap<string, SettingValue>;
  profiles: ReadonlyMap<string, Profile>;
  defaultProfile: string | null;
  /** The user's config.yaml; it need not exist. */
  userFile: string;
  /** The project's stepgate.yaml, where there is one. */
  projectFile: string | null;
};

export type ConfigurationSources = {
  env: Readonly<Record<string, string | undefined>>;
  userFile: string;
  /** The project's stepgate.yaml, where there is one. */
  projectFile: string | null;
};
