import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { flag } from "../option.ts";
import { printSheet } from "../print.ts";

export const dbMigrate = defineCommand({
  name: "migrate",
  summary: "bring the database to this version's schema, as the next start would; a backup is made before",
  options: { dryRun: flag("only tell what is missing; works beside a daemon, too") },
  examples: ["db migrate --dry-run", "db migrate"],
  async action({ wiring, terminal, output }, { dryRun }) {
    const home = await wiring.resolveHome(terminal.env);
    const { migrate } = await wiring.databaseCare();
    const done = await migrate(home, dryRun);
    await printSheet(output, {
      json: done,
      id: String(done.to),
      fields: [
        ["schema", textCell(done.from)],
        ["newest", textCell(done.to)],
        ["missing", textCell(done.pending.map(({ version, name }) => `${version} ${name}`).join(", ") || "nothing")],
        ["applied", textCell(done.applied ? "yes" : "no")],
      ],
    });
  },
});
