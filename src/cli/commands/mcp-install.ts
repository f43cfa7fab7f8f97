import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { changeConfig } from "../mcp/change-config.ts";
import { mcpClients } from "../mcp/clients.ts";
import { configFile } from "../mcp/config-file.ts";
import { findReach } from "../mcp/find-reach.ts";
import { clientArgument, transportOption } from "../mcp/options.ts";
import { provideKey } from "../mcp/provide-key.ts";
import { oneOf, value } from "../option.ts";
import { printSheet } from "../print.ts";
import { safeText } from "../safe-text.ts";

export const mcpInstall = defineCommand({
  name: "install",
  summary: "put Stepgate into an MCP client's configuration",
  arguments: { client: clientArgument },
  options: {
    scope: value("SCOPE", "project (this folder) or user; the first that the client has a file for, if absent", {
      parse: oneOf("project", "user"),
    }),
    transport: transportOption,
  },
  examples: ["mcp install claude-code", "mcp install cursor --scope user --transport http"],
  async action(context, { client: name, scope: wanted, transport }) {
    const { output, terminal } = context;
    const client = mcpClients[name];
    const scope = wanted ?? (client.files.project === undefined ? "user" : "project");
    const reach = await findReach(context, transport);
    const file = configFile(client, scope, reach, terminal.env);
    const change = await changeConfig(file, client.format, client.config(reach));
    for (const line of change.lines) output.note(safeText(line));
    const keyFile = transport === "stdio" ? await provideKey(context) : null;
    await printSheet(output, {
      json: {
        client: name,
        scope,
        transport,
        file,
        changed: change.isChanged,
        backup: change.backup,
        key_file: keyFile,
      },
      id: file,
      fields: [
        ["client", textCell(client.title)],
        ["file", textCell(file)],
        ["state", textCell(change.isChanged ? "changed" : "as it was")],
        ["backup", textCell(change.backup)],
        ["key", textCell(transport === "http" ? "from STEPGATE_API_KEY in the client's environment" : keyFile)],
      ],
    });
  },
});
