import { defineCommand } from "../command.ts";
import { configDocument, mcpClients } from "../mcp/clients.ts";
import { findReach } from "../mcp/find-reach.ts";
import { clientArgument, transportOption } from "../mcp/options.ts";
import { writeToml } from "../mcp/toml-config.ts";

export const mcpPrint = defineCommand({
  name: "print",
  summary: "print what an MCP client needs in its configuration",
  arguments: { client: clientArgument },
  options: { transport: transportOption },
  examples: ["mcp print claude-code", "mcp print vscode --transport http"],
  async action(context, { client, transport }) {
    const { output } = context;
    const { format, config } = mcpClients[client];
    const written = config(await findReach(context, transport));
    const isToml = format === "toml" && output.format !== "json" && output.format !== "jsonl";
    if (isToml) output.print(writeToml(written).trimEnd());
    else output.document(configDocument(written));
  },
});
