import { existsSync, readFileSync } from "node:fs";
import { CliError, reasonOf } from "./cli-error.ts";
import type { Target } from "./exchange.ts";
import type { GlobalFlags } from "./globals.ts";

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && (url.protocol === "http:" || url.protocol === "https:") && !url.username && !url.password) return url;
  throw new CliError("usage", `"${text}" is no http or https address without a name and password.`);
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new CliError("usage", `The key file ${file} can't be read: ${reasonOf(error)}.`);
  }
}

/** --key-file, else $STEPGATE_API_KEY, else $STEPGATE_API_KEY_FILE, else the file `usual` where it is there. */
export function findKey(flags: GlobalFlags, env: NodeJS.ProcessEnv, usual?: string): string {
  const known = usual !== undefined && existsSync(usual) ? usual : undefined;
  const file = flags.keyFile ?? (env["STEPGATE_API_KEY"] ? undefined : (env["STEPGATE_API_KEY_FILE"] ?? known));
  const key = file ? readKeyFile(file) : env["STEPGATE_API_KEY"]?.trim();
  if (key && /^[\x21-\x7e]+$/.test(key)) return key;
  throw new CliError(
    "denied",
    key === undefined ? "There is no API key to show." : "The API key is empty or malformed.",
    {
      hint: "set STEPGATE_API_KEY_FILE, or give --key-file FILE; mint one with: stepgate keys mint --name NAME --out FILE",
    },
  );
}

/** The daemon that --url or $STEPGATE_URL names; null when neither does, and the control socket is meant. */
export function findRemote(flags: GlobalFlags, env: NodeJS.ProcessEnv): Target | null {
  const address = flags.url ?? env["STEPGATE_URL"];
  if (!address) return null;
  if (flags.workspace) throw new CliError("usage", "--workspace is for the daemon here; over --url the key decides.");
  return { url: parseUrl(address), key: findKey(flags, env) };
}
