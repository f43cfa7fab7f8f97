import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { printSheet } from "../print.ts";

export const dbVacuum = defineCommand({
  name: "vacuum",
  summary: "write the database anew without its gaps; the daemon has to be stopped",
  examples: ["db vacuum"],
  async action({ wiring, terminal, output }) {
    const home = await wiring.resolveHome(terminal.env);
    const { vacuum } = await wiring.databaseCare();
    const done = await vacuum(home);
    await printSheet(output, {
      json: done,
      id: done.file,
      fields: [
        ["database", textCell(done.file)],
        ["bytes before", textCell(done.bytes_before)],
        ["bytes after", textCell(done.bytes_after)],
      ],
    });
  },
});
