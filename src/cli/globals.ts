import { flag, oneOf, value, type Values } from "./option.ts";

/** Options that every command takes, before or after its name. There is no option for a key's value: ps would show it. */
export const globalOptions = {
  json: flag("print one JSON document"),
  jsonl: flag("print one JSON object a line"),
  quiet: flag("print ids alone", "-q"),
  url: value("URL", "talk to the daemon at this address, with a key (else $STEPGATE_URL)"),
  profile: value("NAME", "talk to the daemon of this profile in config.yaml (else $STEPGATE_PROFILE)"),
  config: value("FILE", "the user's configuration (else $STEPGATE_CONFIG; see stepgate config path)"),
  keyFile: value("FILE", "read the API key from this file (else $STEPGATE_API_KEY or $STEPGATE_API_KEY_FILE)"),
  workspace: value("NAME", "workspace to work in; over --url the key decides"),
  color: value("WHEN", "auto, always or never", { parse: oneOf("auto", "always", "never") }),
  noInput: flag("never ask anything"),
  yes: flag("answer yes to every question", "-y"),
  ascii: flag("use ASCII signs alone"),
  accessible: flag("for screen readers: no signs, no columns, no drawing"),
  verbose: flag("tell on stderr what is sent where, keys left out", "-v"),
} as const;

export type GlobalFlags = Values<typeof globalOptions>;
