import { writeFileSync } from "node:fs";
import type { FileBody } from "../../contract/file.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { argument, value } from "../option.ts";

export const filesGet = defineCommand({
  name: "get",
  summary: "write a file that a run refers to",
  arguments: { file: argument("id of the file; `runs files` lists them") },
  options: { out: value("FILE", "where it goes; what is there is replaced", { short: "-o" }) },
  examples: ["files get FILE -o bill.pdf"],
  async action({ control, output }, { file, out }) {
    if (out === undefined) throw new CliError("usage", "Say where the file goes: -o FILE");
    const client = await control();
    const { base64, ...reference } = await client.get<FileBody>(`/control/files/${encodeURIComponent(file)}`);
    writeFileSync(out, Buffer.from(base64, "base64"), { mode: 0o600 });
    if (output.format === "json" || output.format === "jsonl") output.document({ ...reference, path: out });
    else output.note(`${reference.size} bytes of ${reference.mime} were written.`);
  },
});
