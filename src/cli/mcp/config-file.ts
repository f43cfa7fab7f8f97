import { homedir } from "node:os";
import { join } from "node:path";
import { CliError } from "../cli-error.ts";
import type { McpClient, Reach, Scope } from "./clients.ts";

/** The client's configuration file of a scope. Throws with the client's own command where others may not write it. */
export function configFile(client: McpClient, scope: Scope, reach: Reach, env: NodeJS.ProcessEnv): string {
  const path = client.files[scope];
  if (path !== undefined) return join(scope === "project" ? process.cwd() : (env["HOME"] ?? homedir()), path);
  const command = scope === "user" ? client.userCommand?.(reach) : null;
  throw new CliError("usage", `${client.title} has no file for the scope ${scope} that others may write.`, {
    hint: command ? `run: ${command.map(quote).join(" ")}` : "leave --scope out",
  });
}

/** A word for a shell. */
export function quote(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
