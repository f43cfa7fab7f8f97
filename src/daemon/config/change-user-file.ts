import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Document, parse, parseDocument } from "yaml";
import { commandSettings } from "../../contract/command-settings.ts";
import { ApiError } from "../../contract/errors.ts";
import { type Setting, settings } from "../../contract/settings.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import { readUserFile } from "./read-user-file.ts";
import { checkSetting, resolveSettings } from "./resolve-settings.ts";

/** What a setting was changed to, as it stands in the file. */
type ConfigurationChange = { name: string; value: unknown; isChanged: boolean };

/**
 * Sets one setting in the user's config.yaml, or takes it out with `text` null. Comments and order stay; the file is
 * made, open to its user alone, when it is missing. Throws BAD_REQUEST for an unknown name and a value that is not valid.
 */
function changeUserFile(file: string, name: string, text: string | null): ConfigurationChange {
  const before = readText(file);
  readUserFile(file, before);
  const document = parseDocument(before);
  const path = name.split(".");
  const value = text === null ? undefined : valueFor(name, text);
  if (value === undefined) takeOut(document, path);
  else document.setIn(path, value);
  const after = String(document);
  checkUserFile(file, after);
  const isChanged = after !== before && !(before === "" && value === undefined);
  if (isChanged) writeUserFile(file, after);
  return { name, value: value ?? null, isChanged };
}

/** Checks a text that is to become the user's config.yaml. Throws BAD_REQUEST. */
function checkUserFile(file: string, text: string): void {
  const { values } = readUserFile(file, text);
  resolveSettings({ ...settings, ...commandSettings }, { env: {}, user: { file, values } });
}

/** Writes the user's config.yaml as a whole: a reader sees the old text or the new one. */
function writeUserFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}.new`;
  writeFileSync(beside, text, { mode: 0o600 });
  renameSync(beside, file);
}

/** A group that is left empty goes too. */
function takeOut(document: Document, path: readonly string[]): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  for (let length = path.length - 1; length > 0; length -= 1) {
    const group = document.getIn(path.slice(0, length), true);
    const isEmpty =
      typeof group === "object" &&
      group !== null &&
      "items" in group &&
      Array.isArray(group.items) &&
      group.items.length === 0;
    if (isEmpty) document.deleteIn(path.slice(0, length));
  }
}

/** Reads a text as YAML would, and as plain text where the setting wants that: `12345` may be a secret. */
function valueFor(name: string, text: string): unknown {
  const setting = requireSetting(name);
  const asYaml = readScalar(text);
  if (setting.schema.safeParse(asYaml).success) return asYaml;
  checkSetting(name, setting, text, "the command line");
  return text;
}

function readScalar(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

function requireSetting(name: string): Setting {
  const all = { ...settings, ...commandSettings };
  const setting = Object.hasOwn(all, name) ? all[name] : undefined;
  if (setting) return setting;
  throw new ApiError("BAD_REQUEST", explainUnknown(name));
}

function explainUnknown(name: string): string {
  const names = Object.keys({ ...settings, ...commandSettings });
  return `There is no setting ${name}${didYouMean(name, names) || "; `stepgate config list` shows all settings"}`;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** What the command line does to the file. */
export const configurationFile = { change: changeUserFile, check: checkUserFile, explainUnknown, write: writeUserFile };
