import { existsSync, readFileSync } from "node:fs";
import { CliError, reasonOf } from "./cli-error.ts";
import type { Target } from "./exchange.ts";
import { type Address, type Sources, findAddress } from "./find-address.ts";
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
  return checkKey(
    flags.keyFile ?? (env["STEPGATE_API_KEY"] ? undefined : (env["STEPGATE_API_KEY_FILE"] ?? known)),
    env,
  );
}

/** The key for another daemon: a profile that was typed goes before the environment, one that was not after it. */
function keyFor({ keyFile, isTyped }: Address, flags: GlobalFlags, env: NodeJS.ProcessEnv): string {
  if (keyFile === null) return findKey(flags, env);
  const isGiven = Boolean(env["STEPGATE_API_KEY"] || env["STEPGATE_API_KEY_FILE"]);
  return !isTyped && isGiven ? findKey(flags, env) : checkKey(flags.keyFile ?? keyFile, env);
}

function checkKey(file: string | undefined, env: NodeJS.ProcessEnv): string {
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

/** The other daemon that flags, environment or a profile name; null when the control socket of this machine is meant. */
export async function findRemote(sources: Sources): Promise<Target | null> {
  const { flags, env } = sources;
  const address = await findAddress(sources);
  if (!address) return null;
  if (flags.workspace) throw new CliError("usage", "--workspace is for the daemon here; over --url the key decides.");
  return { url: parseUrl(address.url), key: keyFor(address, flags, env) };
}
