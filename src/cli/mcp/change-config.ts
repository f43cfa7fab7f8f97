import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { CliError, reasonOf, systemCode } from "../cli-error.ts";
import type { ClientConfig, McpClient } from "./clients.ts";
import { showChange } from "./show-change.ts";
import { editToml } from "./toml-config.ts";

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
  const after = await edit(file, before ?? "", format, config);
  if (after === before) return { isChanged: false, backup: null, lines: [] };
  const backup = before === null ? null : `${file}.before-stepgate`;
  if (backup !== null && before !== null) writeFileSync(backup, before, { mode: 0o600 });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, after);
  return { isChanged: true, backup, lines: showChange(before ?? "", after) };
}

async function edit(file: string, text: string, format: Format, config: ClientConfig): Promise<string> {
  try {
    if (format === "toml") return editToml(text, config);
    const { editJson } = await import("./json-config.ts");
    return editJson(text, config);
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
