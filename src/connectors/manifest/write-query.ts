import type { Json } from "../../contract/json.ts";
import type { queryStyles } from "../../contract/manifest.ts";
import { isRecord, toText } from "../../engine/values/json.ts";

type Style = (typeof queryStyles)[number];

/** Appends parameters; what is null is left out. */
export function writeQuery(
  query: URLSearchParams,
  values: { readonly [name: string]: Json },
  styles: Readonly<Record<string, Style>>,
): void {
  for (const [name, value] of Object.entries(values)) {
    const style = Object.hasOwn(styles, name) ? styles[name] : undefined;
    for (const [key, text] of pairs(name, value, style)) query.append(key, text);
  }
}

const separators: Partial<Record<Style, string>> = { comma: ",", space: " ", pipe: "|" };

function pairs(name: string, value: Json, style: Style | undefined): [string, string][] {
  if (value === null) return [];
  if (typeof value !== "object" || style === "json")
    return [[name, style === "json" ? JSON.stringify(value) : toText(value)]];
  if (Array.isArray(value)) return listPairs(name, value, style);
  if (!isRecord(value)) return [];
  const members = Object.entries(value).filter(([, member]) => member !== null);
  if (style === "repeat") return members.map(([key, member]) => [key, toText(member)]);
  if (style === "deep" || style === "brackets")
    return members.flatMap(([key, member]) => deepPairs(`${name}[${key}]`, member));
  const separator = style && separators[style];
  if (separator === undefined) return [[name, JSON.stringify(value)]];
  return [[name, members.flatMap(([key, member]) => [key, toText(member)]).join(separator)]];
}

function listPairs(name: string, value: readonly Json[], style: Style | undefined): [string, string][] {
  const texts = value.filter((item) => item !== null).map(toText);
  const separator = style && separators[style];
  if (separator !== undefined) return texts.length === 0 ? [] : [[name, texts.join(separator)]];
  if (style === "deep") return value.flatMap((item, index) => deepPairs(`${name}[${index}]`, item));
  return texts.map((text) => [style === "brackets" ? `${name}[]` : name, text]);
}

function deepPairs(name: string, value: Json): [string, string][] {
  if (value === null) return [];
  if (typeof value !== "object") return [[name, toText(value)]];
  return Object.entries(value).flatMap(([key, member]) => deepPairs(`${name}[${key}]`, member));
}
