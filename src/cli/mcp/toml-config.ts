import type { Json } from "../../contract/json.ts";
import type { ClientConfig } from "./clients.ts";

/** The configuration as a table of TOML. */
export function writeToml({ root, server }: ClientConfig): string {
  const lines = Object.entries(server).map(([name, value]) => `${name} = ${tomlValue(value)}`);
  return `[${root}.stepgate]\n${lines.join("\n")}\n`;
}

/** JSON's strings, numbers and booleans are TOML's. */
function tomlValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)} = ${tomlValue(member)}`);
  return `{ ${members.join(", ")} }`;
}

/**
 * A TOML text with our table in place of an earlier one, or at its end. Everything else stays as it is. Throws where the
 * server is written in another form than a table of its own.
 */
export function editToml(text: string, config: ClientConfig): string {
  const kept = withoutOwn(text, config.root).trimEnd();
  return `${kept === "" ? "" : `${kept}\n\n`}${writeToml(config)}`;
}

/** A TOML text without our table. Throws like `editToml`. */
export function removeToml(text: string, root: string): string {
  const kept = withoutOwn(text, root);
  return kept === text ? text : `${kept.trimEnd()}\n`;
}

function withoutOwn(text: string, root: string): string {
  if (new RegExp(`^\\s*${root}(?:\\s*\\.\\s*"?stepgate"?)?\\s*=`, "m").test(text)) {
    throw new Error(`has ${root} in a form that only its own program can change`);
  }
  const own = new RegExp(`^\\s*\\[\\s*${root}\\s*\\.\\s*"?stepgate"?\\s*[\\].]`);
  let isOwn = false;
  const others = text.split("\n").filter((line) => {
    if (/^\s*\[/.test(line)) isOwn = own.test(line);
    return !isOwn;
  });
  return others.join("\n");
}
