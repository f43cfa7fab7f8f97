import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { textCell } from "../cell.ts";
import { CliError, reasonOf } from "../cli-error.ts";
import { type Command, defineCommand } from "../command.ts";
import { readSettingTable, showValue } from "../config/setting-row.ts";
import type { Context } from "../context.ts";
import { argument } from "../option.ts";
import { printSheet } from "../print.ts";

const settingArgument = argument("name of the setting, such as limits.runsPerHour");

export const configSet: Command = defineCommand({
  name: "set",
  summary: "set one setting in the user's config.yaml; the daemon reads it at its next start",
  arguments: {
    setting: settingArgument,
    value: argument("the value as YAML: 5, true, null, text, [a, b]; of a secret @FILE, or - for stdin", {
      mayBeEmpty: true,
    }),
  },
  examples: ["config set limits.runsPerHour 100000", "config set log.level debug", "config set run.timeout 2m"],
  action: async (context, { setting, value }) => change(context, setting, await readValue(context, setting, value)),
});

export const configUnset: Command = defineCommand({
  name: "unset",
  summary: "take one setting out of the user's config.yaml: its default counts again",
  arguments: { setting: settingArgument },
  examples: ["config unset limits.runsPerHour"],
  action: async (context, { setting }) => change(context, setting, null),
});

/** A secret among the arguments would show in ps and stay in the shell's history. */
async function readValue({ terminal }: Context, name: string, value: string): Promise<string> {
  const isSecret = (await readSettingTable())[name]?.isSecret ?? false;
  if (!isSecret || value === "null") return value;
  if (value === "-") return (await readAll(terminal.stdin)).trim();
  if (value.startsWith("@")) return readSecretFile(value.slice(1));
  throw new CliError("usage", `${name} is a secret, which must not stand among the arguments.`, {
    hint: `give @FILE, or - and the secret on stdin: stepgate config set ${name} @FILE`,
  });
}

function readSecretFile(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new CliError("usage", `The file ${file} can't be read: ${reasonOf(error)}.`);
  }
}

async function change({ wiring, userFile, output }: Context, name: string, text: string | null): Promise<void> {
  const file = await userFile();
  const changed = (await wiring.configurationFile()).change(file, name, text);
  const table = await readSettingTable();
  const value = table[name]?.isSecret && changed.value !== null ? "[REDACTED]" : changed.value;
  const takesEffect = await whenItCounts(name);
  await printSheet(output, {
    json: { name, value, changed: changed.isChanged, file, takes_effect: takesEffect },
    id: name,
    fields: [
      ["setting", textCell(name, "bold")],
      ["value", textCell(text === null ? "its default" : showValue(value))],
      ["state", textCell(changed.isChanged ? "changed" : "as it was")],
      ["file", textCell(file)],
      ["counts", textCell(takesEffect === "next_start" ? "from the next start of the daemon" : "at once")],
    ],
  });
}

/** The daemon reads its settings once; the command line reads its own each time. */
async function whenItCounts(name: string): Promise<"next_start" | "now"> {
  const { commandSettings } = await import("../../contract/command-settings.ts");
  return Object.hasOwn(commandSettings, name) ? "now" : "next_start";
}
