import type { Context } from "../context.ts";

/** Whether this command line may bring the daemon up by itself (cli.md, auto-start). */
export function mayStartDaemon({ terminal }: Pick<Context, "terminal">): boolean {
  return !terminal.env["STEPGATE_NO_AUTOSTART"];
}

/** Asks the person at the terminal whether to start the daemon, and starts it. False when that is not wanted. */
export async function offerStart(context: Context): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises");
  const { stdin, stderr } = context.terminal;
  const prompt = createInterface({ input: stdin, output: stderr });
  try {
    const answer = context.flags.yes || (await prompt.question("The daemon is not running. Start it? [Y/n] "));
    if (answer !== true && !/^(?:y(?:es)?)?$/i.test(answer.trim())) return false;
  } finally {
    prompt.close();
  }
  const { launchDaemon } = await import("./launch.ts");
  const { status } = await launchDaemon(context);
  context.output.note(`started at ${status.url}; stop it with: stepgate stop`);
  return true;
}
