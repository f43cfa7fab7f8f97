import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../context.ts";
import { findRunToChange, namesRunToChange } from "../find-run.ts";
import { argument } from "../option.ts";
import { printSheet } from "../print.ts";

export const runsDelete = defineCommand({
  name: "delete",
  summary: "delete a run that is over, with its journal; the audit log keeps a line of it",
  arguments: { run: argument(namesRunToChange) },
  examples: ["runs delete RUN", "runs delete RUN --yes"],
  async action(context, { run }) {
    const client = await context.control();
    const id = await findRunToChange(context, client, run);
    await confirm(context, `Delete the run ${id} and its journal for good?`);
    const deleted = await client.post<{ run_id: string; deleted: true }>(
      `/control/runs/${encodeURIComponent(id)}/delete`,
    );
    await printSheet(context.output, {
      json: deleted,
      id: deleted.run_id,
      fields: [
        ["run", textCell(deleted.run_id)],
        ["state", textCell("deleted")],
      ],
    });
  },
});
