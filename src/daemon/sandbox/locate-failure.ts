import type { TextPosition } from "../../engine/definition/text-position.ts";
import { positionsOf } from "../../engine/definition/text-position.ts";
import type { ScriptFailure } from "./message.ts";

/** A failure's own message and the place in the script that it speaks of; null when it has none. */
export function locateFailure(
  { stage, message, stack }: ScriptFailure,
  code: string,
): { message: string; place: TextPosition | null } {
  // The compiler puts the place into its message, a frame of the stack names the file.
  const compiled = stage === "compile" ? /^(.*) \[code\.js:(\d+):(\d+)\]$/s.exec(message) : null;
  if (compiled) {
    const [, text = "", line, column] = compiled;
    return { message: text, place: { line: Number(line), column: Number(column) } };
  }
  if (stage === "compile") return { message, place: findImport(message, code) };
  const frame = /\bcode\.js:(\d+):(\d+)/.exec(stack);
  return { message, place: frame && { line: Number(frame[1]), column: Number(frame[2]) } };
}

/** A refused import is told by its name alone. */
function findImport(message: string, code: string): TextPosition | null {
  const name = /^The code imports "(.*)";/s.exec(message)?.[1] ?? "";
  const at = Math.max(code.indexOf(`"${name}"`), code.indexOf(`'${name}'`));
  return at === -1 ? null : positionsOf(code)(at);
}
