import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textCell } from "../cell.ts";
import { CliError, reasonOf, systemCode } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { canAsk, type Context } from "../context.ts";
import { printSheet } from "../print.ts";

const emptyFile = `# Settings of Stepgate: stepgate config list shows all of them.
# limits:
#   runsPerHour: 1000
# default_profile: local
# profiles:
#   local: {}
#   ci: { url: "https://stepgate.example", key_file: ~/.config/stepgate/ci.key }
`;

export const configEdit = defineCommand({
  name: "edit",
  summary: "open the user's config.yaml in an editor; what is not valid is not taken over",
  examples: ["config edit", "config edit --config other.yaml"],
  async action(context) {
    const { wiring, userFile, output } = context;
    if (!canAsk(context)) {
      throw new CliError("usage", "There is no terminal to edit at.", { hint: "use: stepgate config set NAME VALUE" });
    }
    const file = await userFile();
    const editor = await findEditor(context);
    const files = await wiring.configurationFile();
    const before = readText(file);
    const folder = mkdtempSync(join(tmpdir(), "stepgate-config-"));
    const draft = join(folder, "config.yaml");
    writeFileSync(draft, before ?? emptyFile, { mode: 0o600 });
    await openEditor(editor, draft);
    const after = readFileSync(draft, "utf8");
    const isChanged = after !== (before ?? emptyFile);
    try {
      files.check(file, after);
    } catch (error) {
      throw new CliError("invalid", `${reasonOf(error)}.`, { hint: `Nothing was changed; your text is in ${draft}` });
    }
    if (isChanged) files.write(file, after);
    rmSync(folder, { recursive: true });
    await printSheet(output, {
      json: { file, changed: isChanged },
      id: file,
      fields: [
        ["file", textCell(file)],
        ["state", textCell(isChanged ? "changed; the daemon reads it at its next start" : "as it was")],
      ],
    });
  },
});

/** The setting is asked for last: a file that can't be read is one that has to be edited. */
async function findEditor({ terminal: { env }, configuration }: Context): Promise<string> {
  const set = await configuration().then(
    ({ settings }) => settings.get("editor")?.value,
    () => null,
  );
  return (typeof set === "string" ? set : "") || env["VISUAL"] || env["EDITOR"] || "vi";
}

/** An editor may come with options of its own: `code --wait`. */
async function openEditor(editor: string, file: string): Promise<void> {
  const [program = editor, ...options] = editor.split(/\s+/);
  const child = spawn(program, [...options, file], { stdio: "inherit" });
  const [code] = await once(child, "close").catch((error: unknown) => {
    const reason = systemCode(error) === "ENOENT" ? "there is no such program" : reasonOf(error);
    throw new CliError("usage", `The editor ${program} can't be started: ${reason}.`, { hint: "set $EDITOR" });
  });
  if (code !== 0) throw new CliError("failure", `The editor ended with ${String(code)}; nothing was changed.`);
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}
