import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { removeConfig } from "../mcp/change-config.ts";
import { mcpClients } from "../mcp/clients.ts";
import { configFile } from "../mcp/config-file.ts";
import { findReach } from "../mcp/find-reach.ts";
import { clientArgument } from "../mcp/options.ts";
import { oneOf, value } from "../option.ts";
import { printSheet } from "../print.ts";
import { safeText } from "../safe-text.ts";

export const mcpUninstall = defineCommand({
  name: "uninstall",
  summary: "take Stepgate out of an MCP client's configuration; the rest of it stays",
  arguments: { client: clientArgument },
  options: {
    scope: value("SCOPE", "project (this folder) or user; the first that the client has a file for, if absent", {
      parse: oneOf("project", "user"),
    }),
  },
  examples: ["mcp uninstall claude-code", "mcp uninstall cursor --scope user"],
  async action(context, { client: name, scope: wanted }) {
    const { output, terminal } = context;
    const client = mcpClients[name];
    const scope = wanted ?? (client.files.project === undefined ? "user" : "project");
    const reach = await findReach(context, "stdio");
    const file = configFile(client, scope, reach, terminal.env);
    const change = await removeConfig(file, client.format, client.config(reach).root);
    for (const line of change.lines) output.note(safeText(line));
    await printSheet(output, {
      json: { client: name, scope, file, changed: change.isChanged, backup: change.backup },
      id: file,
      fields: [
        ["client", textCell(client.title)],
        ["file", textCell(file)],
        ["state", textCell(change.isChanged ? "taken out" : "was not in it")],
        ["backup", textCell(change.backup)],
      ],
    });
  },
});
