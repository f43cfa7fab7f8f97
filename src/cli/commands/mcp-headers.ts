import { defineCommand } from "../command.ts";
import { mcpKeyFile } from "../mcp/provide-key.ts";
import { findKey } from "../target.ts";

export const mcpHeaders = defineCommand({
  name: "headers",
  summary: "print the header with the key as JSON, for a client that asks a program for it",
  examples: ["mcp headers", "mcp headers --key-file agent.key"],
  async action({ flags, terminal: { env }, wiring, remote, output }) {
    const other = await remote();
    const key = other && "key" in other ? other.key : findKey(flags, env, mcpKeyFile(await wiring.resolveHome(env)));
    output.document({ Authorization: `Bearer ${key}` });
  },
});
