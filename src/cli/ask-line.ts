import { systemCode } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { Interrupted } from "./interrupted.ts";

/**
 * The line that the person at the terminal answers a question with; null for Ctrl-D, which is no answer. Asks on stderr.
 * Throws Interrupted for Ctrl-C.
 */
export async function askLine({ terminal }: Pick<Context, "terminal">, question: string): Promise<string | null> {
  const { createInterface } = await import("node:readline/promises");
  const { stdin, stderr } = terminal;
  const prompt = createInterface({ input: stdin, output: stderr });
  const interrupted = new AbortController();
  prompt.on("SIGINT", () => interrupted.abort());
  try {
    return (await prompt.question(question, { signal: interrupted.signal })).trim();
  } catch (error) {
    // What is said next begins a line of its own.
    stderr.write("\n");
    if (interrupted.signal.aborted) throw new Interrupted();
    if (systemCode(error) === "ABORT_ERR") return null;
    throw error;
  } finally {
    prompt.close();
  }
}
