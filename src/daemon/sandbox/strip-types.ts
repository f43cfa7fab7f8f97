// Entry of the thread that takes the types off users' scripts. Types nested deep enough break Node's stripper for the
// rest of the life of its thread (measured), so that it must not be the daemon's own.
import { stripTypeScriptTypes } from "node:module";
import { parentPort } from "node:worker_threads";

/** What the thread answers: JavaScript in which every place is as it was, or why not, and where. */
export type StripAnswer = { code: string } | { message: string; line: number; column: number };

parentPort?.on("message", (code: string) => {
  parentPort?.postMessage(strip(code) satisfies StripAnswer);
});

function strip(code: string): StripAnswer {
  try {
    return { code: stripTypeScriptTypes(code) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { message: error.message, ...findPlace(code, error.stack ?? "") };
  }
}

/** The stack begins with `:LINE`, the line of the source and a line of carets below the mistake; a tab is four wide. */
function findPlace(code: string, stack: string): { line: number; column: number } {
  const line = Number(/^:(\d+)\n/.exec(stack)?.[1] ?? 1);
  const indent = /^( *)\^+ *$/m.exec(stack)?.[1]?.length ?? 0;
  let width = 0;
  let column = 1;
  for (const character of code.split("\n")[line - 1] ?? "") {
    if (width >= indent) break;
    width += character === "\t" ? 4 : 1;
    column += character.length;
  }
  return { line, column };
}
