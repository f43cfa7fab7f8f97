import { spawn } from "node:child_process";
import { once } from "node:events";
import { CliError, reasonOf, systemCode } from "./cli-error.ts";
import type { Context } from "./context.ts";

/** The setting is asked for last: a file that can't be read is one that has to be edited. */
export async function findEditor({
  terminal: { env },
  configuration,
}: Pick<Context, "terminal" | "configuration">): Promise<string> {
  const set = await configuration().then(
    ({ settings }) => settings.get("editor")?.value,
    () => null,
  );
  return (typeof set === "string" ? set : "") || env["VISUAL"] || env["EDITOR"] || "vi";
}

/** Has a person edit a file. An editor may come with options of its own: `code --wait`. */
export async function openEditor(editor: string, file: string): Promise<void> {
  const [program = editor, ...options] = editor.split(/\s+/);
  const child = spawn(program, [...options, file], { stdio: "inherit" });
  const [code] = await once(child, "close").catch((error: unknown) => {
    const reason = systemCode(error) === "ENOENT" ? "there is no such program" : reasonOf(error);
    throw new CliError("usage", `The editor ${program} can't be started: ${reason}.`, { hint: "set $EDITOR" });
  });
  if (code !== 0) throw new CliError("failure", `The editor ended with ${String(code)}; nothing was changed.`);
}
