import type { FileList } from "../../contract/file.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { findRunId, runArgument } from "../find-run.ts";
import { printListing } from "../print.ts";

export const runsFiles = defineCommand({
  name: "files",
  summary: "list the files that a run refers to",
  arguments: { run: runArgument },
  examples: ["runs files RUN", "files get FILE -o bill.pdf"],
  async action(context, { run }) {
    const { output } = context;
    const client = await context.control();
    const id = await findRunId(client, run);
    const list = await client.get<FileList>(`/control/runs/${encodeURIComponent(id)}/files`);
    await printListing(output, {
      json: list,
      rows: list.files,
      id: ({ file_id }) => file_id,
      columns: ["file", "name", "type", "bytes", "created"],
      cells: ({ file_id, name, mime, size, created_at }) => [
        textCell(file_id),
        textCell(name),
        textCell(mime),
        { raw: String(size) },
        timeCell(created_at, output.now),
      ],
      empty: "The run refers to no files.",
    });
  },
});
