import { textCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { openLine } from "../mcp/daemon-line.ts";
import { printListing } from "../print.ts";

type Tool = { name: string; title?: string; description?: string };
type Answer = { result?: { tools: Tool[]; nextCursor?: string }; error?: unknown };

export const mcpTools = defineCommand({
  name: "tools",
  summary: "list the tools that an agent sees with this machine's key, or with the one that is given",
  examples: ["mcp tools", "mcp tools --key-file agent.key --json"],
  async action(context) {
    const tools = await readTools(context);
    await printListing(context.output, {
      json: { tools },
      rows: tools,
      id: ({ name }) => name,
      columns: ["TOOL", "WHAT IT DOES"],
      cells: ({ name, title, description }) => [textCell(name, "bold"), textCell(title ?? description)],
      empty: "This key may use no tool: its scopes allow none.",
    });
  },
});

async function readTools(context: Parameters<typeof openLine>[0]): Promise<Tool[]> {
  const post = openLine(context);
  const tools: Tool[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params };
    // A list is never answered with a stream.
    const answer = await post(message, timeout(), () => undefined);
    const { result, error }: Answer = JSON.parse(answer?.content ?? "{}");
    if (!result) throw refusal(answer?.status ?? 200, error);
    tools.push(...result.tools);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

function timeout(): AbortSignal {
  return AbortSignal.timeout(30_000);
}

/** Without a key that counts the answer has the body of a REST error. */
function refusal(status: number, error: unknown): CliError {
  const message = typeof error === "string" ? error : `The daemon answered HTTP ${status}, and not as Stepgate does.`;
  return new CliError(status === 401 || status === 403 ? "denied" : "failure", message, { httpStatus: status });
}
