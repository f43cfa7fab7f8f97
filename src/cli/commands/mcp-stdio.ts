import { defineCommand } from "../command.ts";
import { bridge } from "../mcp/bridge.ts";
import { openLine } from "../mcp/daemon-line.ts";
import { safeText } from "../safe-text.ts";

export const mcpStdio = defineCommand({
  name: "stdio",
  summary: "serve MCP over stdin and stdout, for clients that start a program",
  examples: ["mcp stdio", "mcp stdio --key-file agent.key"],
  async action(context) {
    const { stdin, stdout, stderr } = context.terminal;
    await bridge({
      input: stdin,
      write: (line) => void stdout.write(`${line}\n`),
      log: (line) => void stderr.write(`stepgate: ${safeText(line)}\n`),
      post: openLine(context),
    });
  },
});
