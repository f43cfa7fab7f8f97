import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { CliError, reasonOf, systemCode } from "../cli-error.ts";
import type { ClientConfig, McpClient } from "./clients.ts";
import { showChange } from "./show-change.ts";
import { editToml, removeToml } from "./toml-config.ts";

type Format = McpClient["format"];

export type ConfigChange = {
  isChanged: boolean;
  /** The file as it was; null when there was none. */
  backup: string | null;
  /** The change as lines. */
  lines: string[];
};

/** Writes the configuration into the client's file, and beside it the file as it was. */
export async function changeConfig(file: string, format: Format, config: ClientConfig): Promise<ConfigChange> {
  const before = readText(file);
  return write(file, before, await edit(file, before ?? "", format, config));
}

/** Takes Stepgate out of the client's file, and leaves beside it the file as it was. */
export async function removeConfig(file: string, format: Format, root: string): Promise<ConfigChange> {
  const before = readText(file);
  return write(file, before, before === null ? null : await takeOut(file, before, format, root));
}

function write(file: string, before: string | null, after: string | null): ConfigChange {
  if (after === null || after === before) return { isChanged: false, backup: null, lines: [] };
  const backup = before === null ? null : `${file}.before-stepgate`;
  if (backup !== null && before !== null) writeFileSync(backup, before, { mode: 0o600 });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, after);
  return { isChanged: true, backup, lines: showChange(before ?? "", after) };
}

async function takeOut(file: string, text: string, format: Format, root: string): Promise<string> {
  return explained(file, async () => {
    if (format === "toml") return removeToml(text, root);
    const { removeJson } = await import("./json-config.ts");
    return removeJson(text, root);
  });
}

async function edit(file: string, text: string, format: Format, config: ClientConfig): Promise<string> {
  return explained(file, async () => {
    if (format === "toml") return editToml(text, config);
    const { editJson } = await import("./json-config.ts");
    return editJson(text, config);
  });
}

async function explained(file: string, change: () => Promise<string>): Promise<string> {
  try {
    return await change();
  } catch (error) {
    throw new CliError("usage", `The file ${file} ${reasonOf(error)}.`, {
      hint: "mend it, or see: stepgate mcp print",
    });
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw new CliError("usage", `The file ${file} can't be read: ${reasonOf(error)}.`);
  }
}
