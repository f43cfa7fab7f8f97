import type { JsonObject } from "../parse-input.ts";

export const clientNames = ["claude-code", "cursor", "vscode", "gemini", "codex"] as const;
export type ClientName = (typeof clientNames)[number];

/** Whose configuration: that of the folder the command runs in, or the user's own. */
export type Scope = "project" | "user";

/** How a client is to reach Stepgate: by a program that it starts, or at an address. */
export type Reach = { command: string; args: string[]; env?: Record<string, string> } | { url: string };

/** What goes into a configuration: `server` as `stepgate` below `root`, and inputs that the client asks its user for. */
export type ClientConfig = { root: string; server: JsonObject; inputs?: JsonObject[] };

export type McpClient = {
  title: string;
  format: "json" | "toml";
  /** Its configuration file in the project's folder and in the user's home; absent where it keeps none to write to. */
  files: Partial<Record<Scope, string>>;
  /** The client's own command for the user's scope where it has no file to write to; null where none does it. */
  userCommand?: (reach: Reach) => readonly string[] | null;
  /** No key is ever in it: it names where the client finds one. */
  config: (reach: Reach) => ClientConfig;
};

const keyVariable = "STEPGATE_API_KEY";

function bearer(reference: string): JsonObject {
  return { headers: { Authorization: `Bearer ${reference}` } };
}

const vscodeInput = { type: "promptString", id: "stepgate-key", description: "Stepgate API key", password: true };

/** The clients that can be set up, with the forms of their configurations (cli.md, MCP client configs). */
export const mcpClients: Readonly<Record<ClientName, McpClient>> = {
  "claude-code": {
    title: "Claude Code",
    format: "json",
    files: { project: ".mcp.json" },
    userCommand: (reach) => ["claude", "mcp", "add", "--scope", "user", ...claudeArguments(reach)],
    config: (reach) => ({
      root: "mcpServers",
      server:
        "url" in reach ? { type: "http", ...reach, ...bearer(`\${${keyVariable}}`) } : { type: "stdio", ...reach },
    }),
  },
  cursor: {
    title: "Cursor",
    format: "json",
    files: { project: ".cursor/mcp.json", user: ".cursor/mcp.json" },
    config: (reach) => ({
      root: "mcpServers",
      server: "url" in reach ? { ...reach, ...bearer(`\${env:${keyVariable}}`) } : { ...reach },
    }),
  },
  vscode: {
    title: "VS Code",
    format: "json",
    files: { project: ".vscode/mcp.json" },
    // Over HTTP it would need an input, which the command has no place for.
    userCommand: (reach) =>
      "url" in reach ? null : ["code", "--add-mcp", JSON.stringify({ name: "stepgate", ...reach })],
    config: (reach) =>
      "url" in reach
        ? {
            root: "servers",
            server: { type: "http", ...reach, ...bearer(`\${input:${vscodeInput.id}}`) },
            inputs: [vscodeInput],
          }
        : { root: "servers", server: { type: "stdio", ...reach } },
  },
  gemini: {
    title: "Gemini CLI",
    format: "json",
    files: { project: ".gemini/settings.json", user: ".gemini/settings.json" },
    config: (reach) => ({
      root: "mcpServers",
      // To this client `url` means a stream of events.
      server: "url" in reach ? { httpUrl: reach.url, ...bearer(`\${${keyVariable}}`) } : { ...reach },
    }),
  },
  codex: {
    title: "Codex",
    format: "toml",
    files: { user: ".codex/config.toml" },
    config: (reach) => ({
      root: "mcp_servers",
      server: "url" in reach ? { ...reach, bearer_token_env_var: keyVariable } : { ...reach },
    }),
  },
};

/** A configuration as a whole document, for clients that keep JSON. */
export function configDocument({ root, server, inputs }: ClientConfig): JsonObject {
  return { ...(inputs && { inputs }), [root]: { stepgate: server } };
}

/** Options there take all the words that follow them, up to the next option. */
function claudeArguments(reach: Reach): string[] {
  if ("url" in reach) {
    return ["--transport", "http", "stepgate", reach.url, "--header", `Authorization: Bearer \${${keyVariable}}`];
  }
  const { command, args, env = {} } = reach;
  const variables = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  return [...variables, "--transport", "stdio", "stepgate", "--", command, ...args];
}
