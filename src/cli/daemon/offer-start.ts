import type { Context } from "../context.ts";

/** Whether this command line may bring the daemon up by itself (cli.md, auto-start). */
export function mayStartDaemon({ terminal }: Pick<Context, "terminal">): boolean {
  return !terminal.env["STEPGATE_NO_AUTOSTART"];
}

/** Asks the person at the terminal whether to start the daemon, and starts it. False when that is not wanted. */
export async function offerStart(context: Context): Promise<boolean> {
  const { askLine } = await import("../ask-line.ts");
  const answer = context.flags.yes ? "y" : await askLine(context, "The daemon is not running. Start it? [Y/n] ");
  if (answer === null || !/^(?:y(?:es)?)?$/i.test(answer)) return false;
  const { launchDaemon } = await import("./launch.ts");
  const { status } = await launchDaemon(context);
  context.output.note(`started at ${status.url}; stop it with: stepgate stop`);
  return true;
}
