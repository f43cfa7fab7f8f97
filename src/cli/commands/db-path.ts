import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { printSheet } from "../print.ts";

export const dbPath = defineCommand({
  name: "path",
  summary: "print where the database, its backups and the master key are",
  examples: ["db path", "db path -q"],
  async action({ wiring, terminal, output }) {
    const { database: path, masterKey } = await wiring.resolveHome(terminal.env);
    const exists = existsSync(path);
    const backups = join(dirname(path), "backups");
    await printSheet(output, {
      json: { path, exists, bytes: exists ? statSync(path).size : 0, backups, master_key: masterKey },
      id: path,
      fields: [
        ["database", textCell(exists || output.format !== "table" ? path : `${path} (not there yet)`)],
        ["backups", textCell(backups)],
        ["master key", textCell(masterKey)],
      ],
    });
  },
});
