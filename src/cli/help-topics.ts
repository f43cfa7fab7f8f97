import { exitCodes, signalExitCodes } from "./exit-codes.ts";

const environment: readonly (readonly [name: string, meaning: string])[] = [
  ["STEPGATE_HOME", "directory for everything that Stepgate keeps"],
  ["STEPGATE_URL", "address of a daemon to talk to, as --url"],
  ["STEPGATE_API_KEY", "API key for that daemon"],
  ["STEPGATE_API_KEY_FILE", "file with the API key, as --key-file"],
  ["STEPGATE_HOST, STEPGATE_PORT", "where serve listens, as --host and --port"],
  ["STEPGATE_NO_INPUT", "never ask anything, as --no-input; CI does the same"],
  ["STEPGATE_ASCII", "use ASCII signs alone, as --ascii"],
  ["NO_COLOR, FORCE_COLOR, TERM=dumb", "colours; --color comes first, then FORCE_COLOR, then NO_COLOR"],
];

function showRows(rows: readonly (readonly [string | number, string])[]): string {
  const width = Math.max(...rows.map(([name]) => String(name).length));
  return rows.map(([name, meaning]) => `  ${String(name).padEnd(width)}  ${meaning}\n`).join("");
}

/** Texts of `stepgate help <topic>`. */
export const helpTopics: ReadonlyMap<string, string> = new Map([
  ["exit-codes", `Exit codes:\n${showRows([...Object.values(exitCodes), ...signalExitCodes])}`],
  ["environment", `Environment variables:\n${showRows(environment)}`],
]);
