import * as z from "zod";
import type { Path } from "../engine/values/json.ts";
import { parsePath } from "../engine/templates/path.ts";
import { scanTemplate } from "../engine/templates/template-scan.ts";

/**
 * Reads a path into an item: `price`, `a.b[0]`; `{{item.price}}` means the same and `{{item}}` the item itself
 * (contract 3). It is no template: any other one is refused.
 */
export function readItemPath(text: string): Path | { message: string } {
  if (!text.includes("{{")) return explain(text, parsePath(text));
  const { parts, problems } = scanTemplate(text);
  const [part, more] = parts;
  if (problems.length === 0 && more === undefined && typeof part === "object" && part.root === "item") return part.path;
  return { message: "is a path into the item: write price or {{item.price}}; other templates can't stand here" };
}

function explain(text: string, parsed: ReturnType<typeof parsePath>): Path | { message: string } {
  if (!("message" in parsed)) return parsed;
  if (text.trim() === "") return { message: "is empty: write a path into the item, such as price" };
  return { message: `is no path, at character ${parsed.offset + 1}: ${parsed.message}` };
}

/** A config field that holds such a path. */
export function itemPath(description: string) {
  return z
    .string()
    .check(({ value, issues }) => {
      const read = readItemPath(value);
      if ("message" in read) issues.push({ code: "custom", input: value, message: read.message });
    })
    .describe(description);
}
