import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../context.ts";
import { argument } from "../option.ts";
import { printSheet } from "../print.ts";

export const dbRestore = defineCommand({
  name: "restore",
  summary: "put a backup in the database's place; what was there is kept in backups/",
  arguments: { file: argument("the backup") },
  examples: ["db restore backups/stepgate-20261121-081000.db --yes"],
  async action(context, { file }) {
    const { wiring, terminal, output } = context;
    const home = await wiring.resolveHome(terminal.env);
    const care = await wiring.databaseCare();
    const backup = resolve(file);
    await care.checkBackup(home, backup);
    if (existsSync(home.database)) await confirm(context, `Replace ${home.database} with ${backup}?`);
    const done = await care.restore(home, backup);
    await printSheet(output, {
      json: done,
      id: done.file,
      fields: [
        ["restored", textCell(done.file)],
        ["schema", textCell(done.schema)],
        ["files", textCell(done.files)],
        ["kept", textCell(done.kept)],
      ],
    });
    if (!existsSync(home.masterKey)) {
      output.note(`The master key is not in a backup: put it into ${home.masterKey} before the first start.`);
    }
  },
});
