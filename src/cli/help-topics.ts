import { exitCodes, signalExitCodes } from "./exit-codes.ts";

/** What the program reads besides its settings. */
export const environmentVariables: readonly (readonly [name: string, meaning: string])[] = [
  ["STEPGATE_HOME", "directory for everything that Stepgate keeps"],
  ["STEPGATE_URL", "address of a daemon to talk to, as --url"],
  ["STEPGATE_API_KEY", "API key for that daemon"],
  ["STEPGATE_API_KEY_FILE", "file with the API key, as --key-file"],
  ["STEPGATE_PROFILE", "profile of config.yaml to use, as --profile"],
  ["STEPGATE_CONFIG", "the user's configuration file, as --config"],
  ["STEPGATE_HOST, STEPGATE_PORT", "where serve listens, as --host and --port"],
  ["STEPGATE_LOG_LEVEL", "debug, info, warn or error: what serve logs"],
  ["STEPGATE_MASTER_KEY", "key that seals secrets, instead of the file master.key"],
  ["STEPGATE_TIMEOUT", "how long run --wait and run --follow wait, as --timeout"],
  ["STEPGATE_NO_INPUT", "never ask anything, as --no-input; CI does the same"],
  ["STEPGATE_NO_AUTOSTART", "never start the daemon unasked, and don't offer it"],
  ["STEPGATE_ASCII", "use ASCII signs alone, as --ascii"],
  ["STEPGATE_ACCESSIBLE", "plain text for screen readers, as --accessible"],
  ["STEPGATE_LIMITS_RUNS_PER_HOUR", "limits.runsPerHour; each setting of stepgate config list has such a name"],
  ["STEPGATE_PAGER, PAGER", "the pager of the terminal UI"],
  ["STEPGATE_UI_COPY", "lets the terminal UI copy to the clipboard"],
  ["VISUAL, EDITOR", "the editor of config edit, replay --edit and the terminal UI"],
  ["NO_COLOR, FORCE_COLOR, TERM=dumb", "colours; --color comes first, then FORCE_COLOR, then NO_COLOR"],
  ["XDG_CONFIG_HOME and its like", "where files are, unless STEPGATE_HOME says so"],
];

/** Variables that are read and are no settings. */
export const knownVariables: readonly string[] = environmentVariables
  .flatMap(([names]) => names.split(", "))
  .filter((name) => name.startsWith("STEPGATE_"));

function showRows(rows: readonly (readonly [string | number, string])[]): string {
  const width = Math.max(...rows.map(([name]) => String(name).length));
  return rows.map(([name, meaning]) => `  ${String(name).padEnd(width)}  ${meaning}\n`).join("");
}

/** Texts of `stepgate help <topic>`. */
export const helpTopics: ReadonlyMap<string, string> = new Map([
  ["exit-codes", `Exit codes:\n${showRows([...Object.values(exitCodes), ...signalExitCodes])}`],
  ["environment", `Environment variables:\n${showRows(environmentVariables)}`],
]);
