import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { CliError, reasonOf } from "./cli-error.ts";
import { parseInputObject, type JsonObject } from "./parse-input.ts";

/** The JSON object that an option gives: as text, in a file after @, or on stdin for -. Throws what is wrong with it. */
export async function readInputObject(
  source: string,
  stdin: NodeJS.ReadableStream,
  option = "--input",
): Promise<JsonObject> {
  const json = await readSource(source, stdin);
  try {
    return parseInputObject(json);
  } catch (error) {
    throw new CliError("usage", `${option} ${reasonOf(error)}.`, {
      hint: "give a JSON object, @FILE, or - for stdin",
    });
  }
}

/** The text itself, of the file after @, or of stdin for -. */
export async function readSource(source: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (source === "-") return text(stdin);
  if (!source.startsWith("@")) return source;
  try {
    return readFileSync(source.slice(1), "utf8");
  } catch (error) {
    throw new CliError("usage", `The file can't be read: ${reasonOf(error)}.`);
  }
}
