import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { reasonOf } from "../cli-error.ts";
import { mcpClients, type McpClient } from "../mcp/clients.ts";
import type { Examined, Finding } from "./finding.ts";

/** Whether every file and variable can be read, and none is misspelt. */
export async function checkConfiguration({ context }: Examined): Promise<Finding[]> {
  const { configuration, terminal } = context;
  try {
    const { settings, userFile, projectFile } = await configuration();
    const set = [...settings.values()].filter(({ origin }) => origin !== "default").length;
    const where = [userFile, projectFile].filter((file) => file !== null && existsSync(file)).join(", ");
    const message = `${set} settings are not at their default${where && `; read ${where}`}`;
    return [{ name: "config", status: "ok", message }, ...(await checkVariables(terminal.env))];
  } catch (error) {
    return [{ name: "config", status: "fail", message: reasonOf(error), fix: "stepgate config edit" }];
  }
}

/** A variable that nobody reads is a setting that does not count. */
async function checkVariables(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const [{ environmentNames }, { readSettingTable }, { knownVariables }] = await Promise.all([
    import("../../contract/settings.ts"),
    import("../config/setting-row.ts"),
    import("../help-topics.ts"),
  ]);
  const settings = Object.keys(await readSettingTable()).flatMap(environmentNames);
  const known = new Set([...settings, ...knownVariables]);
  const unknown = Object.keys(env).filter((name) => name.startsWith("STEPGATE_") && !known.has(name));
  if (unknown.length === 0) return [];
  const message = `Nothing reads ${unknown.join(", ")}`;
  return [
    { name: "environment", status: "warn", message, fix: "See stepgate help environment and stepgate config list" },
  ];
}

/** What the terminal can show; nothing here is wrong. */
export function checkTerminal({ context: { terminal, output } }: Examined): Finding {
  const words = [
    terminal.stdout.isTTY ? `${terminal.stdout.columns} columns` : "no terminal",
    output.paint("bold", "x") === "x" ? "no colours" : "colours",
    output.isUnicode ? "UTF-8" : "ASCII alone",
  ];
  return { name: "terminal", status: "ok", message: words.join(", ") };
}

/** Schedules need the rules of time zones, which come with Node. */
export function checkTimeZones(): Finding {
  const zones = Intl.supportedValuesOf("timeZone").length;
  const message = `${zones} zones, rules of ${process.versions["tz"] ?? "this machine"}`;
  return { name: "time zones", status: zones > 100 ? "ok" : "warn", message };
}

/** Every configuration of an MCP client that names Stepgate: whether what it names is there. */
export function checkClients({ context: { terminal }, status }: Examined): Finding[] {
  const found = Object.values(mcpClients).flatMap((client) =>
    Object.entries(client.files).flatMap(([scope, path]) => {
      const base = scope === "project" ? process.cwd() : (terminal.env["HOME"] ?? homedir());
      const file = join(base, path);
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      return text.includes("stepgate") ? [checkClient(client, file, text, status?.url ?? null)] : [];
    }),
  );
  return found;
}

function checkClient({ title }: McpClient, file: string, text: string, url: string | null): Finding {
  const name = `mcp ${title}`;
  const command = /"?command"?\s*[:=]\s*"(?<path>[^"]*stepgate[^"]*)"/.exec(text)?.groups?.["path"];
  if (command !== undefined) return checkCommand(name, file, command);
  const address = /(?<url>https?:\/\/[^"\s]+)\/mcp"/.exec(text)?.groups?.["url"] ?? "it";
  if (address === "it" || url === null || address === url) {
    return { name, status: "ok", message: `${file} names ${address}` };
  }
  const message = `${file} names ${address}; the daemon here is at ${url}`;
  return { name, status: "warn", message, fix: "stepgate mcp install, or set server.port" };
}

function checkCommand(name: string, file: string, command: string): Finding {
  if (!command.includes("/") || isExecutable(command)) {
    return { name, status: "ok", message: `${file} starts ${command}` };
  }
  return {
    name,
    status: "fail",
    message: `${file} starts ${command}, which is not there`,
    fix: "stepgate mcp install",
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
