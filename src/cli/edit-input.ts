import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../contract/json.ts";
import { CliError, reasonOf } from "./cli-error.ts";
import { type Context, canAsk, confirm } from "./context.ts";
import { findEditor, openEditor } from "./open-editor.ts";
import { isObject, type JsonObject } from "./parse-input.ts";
import { safeText } from "./safe-text.ts";

/**
 * Has a person change an input in their editor and hands it on; what is no input, and what `use` refuses as invalid, is
 * told and edited again. The text is in a file that nobody else can read, and gone afterwards.
 */
export async function editInput<T>(
  context: Context,
  title: string,
  input: Json,
  use: (edited: JsonObject) => Promise<T>,
): Promise<T> {
  if (!canAsk(context)) {
    throw new CliError("usage", "There is no terminal to edit at.", { hint: "give the input with --input" });
  }
  // Loaded when it is needed: most commands read no YAML.
  const yaml = await import("yaml");
  const editor = await findEditor(context);
  const folder = mkdtempSync(join(tmpdir(), "stepgate-input-"));
  const file = join(folder, "input.yaml");
  try {
    writeFileSync(file, `# ${safeText(title)} YAML or JSON.\n${yaml.stringify(input, { lineWidth: 0 })}`, {
      mode: 0o600,
    });
    for (;;) {
      await openEditor(editor, file);
      const outcome = await attempt(async () => use(readInput(yaml.parse, readFileSync(file, "utf8"))));
      if ("value" in outcome) return outcome.value;
      await askAgain(context, outcome.problem);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Outcome<T> = { value: T } | { problem: CliError };

async function attempt<T>(use: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await use() };
  } catch (error) {
    if (error instanceof CliError && error.exit === "invalid") return { problem: error };
    throw error;
  }
}

function readInput(parse: (text: string, options: object) => unknown, text: string): JsonObject {
  let value: Json;
  try {
    value = parse(text, { schema: "core" }) as Json;
  } catch (error) {
    throw new CliError("invalid", `The input is neither YAML nor JSON: ${reasonOf(error)}.`);
  }
  if (!isObject(value)) throw new CliError("invalid", "The input has to be an object.");
  if (!JSON.stringify(value).includes("[REDACTED")) return value;
  throw new CliError("invalid", "The input holds [REDACTED…] in place of values that are not shown: write them anew.");
}

/** Throws the problem where nobody is there to ask, or where --yes would ask without end. */
async function askAgain(context: Context, problem: CliError): Promise<void> {
  if (context.flags.yes) throw problem;
  await confirm(context, `${safeText(problem.message)} Edit it again?`);
}
