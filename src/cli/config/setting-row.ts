import type { Setting, SettingValue } from "../../contract/settings.ts";
import { type Cell, textCell } from "../cell.ts";

/** A setting as the commands show it: a secret is masked, as anywhere. */
export type SettingRow = SettingValue & { default: unknown; summary: string };

/** The rows of settings. Their descriptions are loaded here, for a person or a program that wants to see them. */
export async function settingRows(values: Iterable<SettingValue>): Promise<SettingRow[]> {
  const table = await readSettingTable();
  return [...values].map((setting) => {
    const { default: preset = null, summary = "", isSecret = false } = table[setting.name] ?? {};
    const value = isSecret && setting.value !== null ? "[REDACTED]" : setting.value;
    return { ...setting, value, default: preset, summary };
  });
}

/** Every setting there is. */
export async function readSettingTable(): Promise<Readonly<Record<string, Partial<Setting>>>> {
  const [{ settings }, { commandSettings }] = await Promise.all([
    import("../../contract/settings.ts"),
    import("../../contract/command-settings.ts"),
  ]);
  return { ...settings, ...commandSettings };
}

/** A value as one writes it in the file, on one line. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

export function originCell({ origin }: SettingValue): Cell {
  return textCell(origin, origin === "default" ? "dim" : "cyan");
}
