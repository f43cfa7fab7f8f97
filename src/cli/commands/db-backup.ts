import { resolve } from "node:path";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { optionalArgument, value } from "../option.ts";
import { printSheet } from "../print.ts";

export const dbBackup = defineCommand({
  name: "backup",
  summary: "write a whole copy of the database and its runs' files into a new file, also while the daemon works",
  arguments: { file: optionalArgument("new file; else one in backups/ beside the database") },
  options: {
    withKey: value("FILE", "write the master key into this new file: without it secrets and originals stay sealed"),
  },
  examples: ["db backup", "db backup /mnt/backup/stepgate.db --with-key /mnt/safe/master.key"],
  async action({ wiring, terminal, output }, { file, withKey }) {
    const home = await wiring.resolveHome(terminal.env);
    const { backup } = await wiring.databaseCare();
    const done = await backup(home, file && resolve(file), withKey && resolve(withKey));
    await printSheet(output, {
      json: done,
      id: done.file,
      fields: [
        ["backup", textCell(done.file)],
        ["bytes", textCell(done.bytes)],
        ["schema", textCell(done.schema)],
        ["files", textCell(done.files)],
        ["master key", textCell(done.key_file ?? `${done.master_key} (not in it)`)],
      ],
    });
    if (done.files_missing > 0) {
      output.note(`${done.files_missing} files that runs refer to were not found whole: their contents are not in it.`);
    }
    output.note(
      done.key_file === null
        ? "The master key is not in the backup. Without it connections, secrets and originals can't be opened: keep it too."
        : "Keep the two files apart: together they open every secret.",
    );
  },
});
