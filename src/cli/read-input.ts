import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { CliError, reasonOf } from "./cli-error.ts";
import { parseInputObject, type JsonObject } from "./parse-input.ts";

/** The JSON object that `--input` gives: as text, in a file after @, or on stdin for -. Throws what is wrong with it. */
export async function readInputObject(source: string, stdin: NodeJS.ReadableStream): Promise<JsonObject> {
  const json = await readSource(source, stdin);
  try {
    return parseInputObject(json);
  } catch (error) {
    throw new CliError("usage", `--input ${reasonOf(error)}.`, {
      hint: "give a JSON object, @FILE, or - for stdin",
    });
  }
}

async function readSource(source: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (source === "-") return text(stdin);
  if (!source.startsWith("@")) return source;
  try {
    return readFileSync(source.slice(1), "utf8");
  } catch (error) {
    throw new CliError("usage", `The input file can't be read: ${reasonOf(error)}.`);
  }
}
