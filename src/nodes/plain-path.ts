import * as z from "zod";
import { parsePath } from "../engine/templates/path.ts";
import type { Path } from "../engine/values/json.ts";

/** A config field that holds a plain path; the empty text is the whole value. */
export function plainPath(description: string) {
  return z
    .string()
    .check(({ value, issues }) => {
      const parsed = value === "" ? [] : parsePath(value);
      if ("message" in parsed) issues.push({ code: "custom", input: value, message: `is no path: ${parsed.message}` });
    })
    .describe(description);
}

/** The path of such a field, whose schema refused every one that can't be read. */
export function readPlainPath(text: string): Path {
  const parsed = text === "" ? [] : parsePath(text);
  return "message" in parsed ? [] : parsed;
}
