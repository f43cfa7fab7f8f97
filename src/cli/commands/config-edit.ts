import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textCell } from "../cell.ts";
import { CliError, reasonOf, systemCode } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { canAsk } from "../context.ts";
import { findEditor, openEditor } from "../open-editor.ts";
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
    try {
      await openEditor(editor, draft);
    } catch (error) {
      rmSync(folder, { recursive: true });
      throw error;
    }
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

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}
