import { CliError } from "../cli-error.ts";
import { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import { wantsColour } from "../colour.ts";
import type { Context } from "../context.ts";
import { findRunId } from "../find-run.ts";
import { optionalArgument, oneOf } from "../option.ts";
import { findEditor } from "../open-editor.ts";
import type { Target } from "../exchange.ts";
import type { UiParts } from "../ui/run-ui.ts";

const screens = ["runs", "approvals", "actions", "graph", "run"] as const;

export const ui = defineCommand({
  name: "ui",
  copesAlone: true,
  summary: "watch and decide on runs in the full screen",
  arguments: {
    screen: optionalArgument(`where to begin: ${screens.join(", ")} (runs)`, oneOf(...screens)),
    of: optionalArgument("graph: a workflow; run: the id of a run"),
  },
  examples: ["ui", "ui approvals", "ui run RUN", "ui graph refund-order"],
  async action(context, { screen, of }) {
    requireTerminal(context);
    const start = await readStart(context, screen, of);
    // React's development build, which a checkout would get, takes three times the memory (cli.md, measured fact 6).
    Object.assign(context.terminal.env, { NODE_ENV: context.terminal.env["NODE_ENV"] ?? "production" });
    const { stdin, stdout, stderr, env } = context.terminal;
    // The editor of the settings goes before the environment's, as everywhere.
    const terminal = { stdin, stdout, stderr, env: { ...env, VISUAL: await findEditor(context) } };
    const parts = { ...(await connect(context)), start, terminal } satisfies Partial<UiParts>;
    // Loaded here alone: it takes a quarter of a second and 50 MB.
    const [{ runUi }, { makeTheme }] = await Promise.all([import("../ui/run-ui.ts"), import("../ui/draw/theme.ts")]);
    const { flags, output } = context;
    const isMono = (await context.configured("ui.theme")) === "mono";
    const theme = makeTheme({
      isAscii: !output.isUnicode,
      isColoured: !isMono && wantsColour(flags.color ?? "auto", env, stdout.isTTY),
    });
    const code = await runUi({ ...parts, theme });
    // As every program that Ctrl-C ends: the shell sees 130 and knows why.
    if (code === 130) process.kill(process.pid, "SIGINT");
  },
});

/** Decided before anything is loaded: without a terminal there is nothing to draw on (cli.md, measured fact 3). */
function requireTerminal({ terminal, output }: Context): void {
  const { stdin, stdout, env } = terminal;
  if (stdin.isTTY && stdout.isTTY && output.format === "table" && env["TERM"] !== "dumb") return;
  throw new CliError("usage", "The terminal UI needs a terminal for its input and its output.", {
    hint: "for programs there are: stepgate runs list --json, stepgate runs journal RUN --follow --jsonl",
  });
}

async function readStart(
  context: Context,
  screen: (typeof screens)[number] = "runs",
  of?: string,
): Promise<UiParts["start"]> {
  switch (screen) {
    case "run": {
      if (of === undefined)
        throw new CliError("usage", "ui run needs the id of a run.", { hint: "stepgate ui run RUN" });
      const client = await context.runtime();
      const runId = await findRunId(client, of);
      return { screen: "run", runId };
    }
    case "graph":
      return of === undefined ? { screen: "workflows" } : { screen: "graph", workflow: of };
    case "runs":
    case "approvals":
    case "actions":
      return { screen };
  }
}

/** The daemon to watch: the one of this machine over its control channel, or another one with a key. */
async function connect(context: Context): Promise<Pick<UiParts, "client" | "place" | "logFile">> {
  const { wiring, terminal, flags } = context;
  const { env } = terminal;
  const remote = await context.remote();
  const { socket, logFile } = await wiring.resolveHome(env);
  const target: Target = remote ?? { socketPath: socket };
  const headers: Record<string, string> = { "x-stepgate-client": wiring.version };
  if (!remote && flags.workspace) headers["x-stepgate-workspace"] = flags.workspace;
  // A client of its own: what others note on stderr would be drawn over.
  const client = new Client(target, { headers, signal: new AbortController().signal });
  client.patienceMs = 0;
  const { commandTree } = await import("./index.ts");
  const place = {
    address: "url" in target ? target.url.host : "localhost",
    version: wiring.version,
    isLocal: remote === null,
    canStart: remote === null && Object.hasOwn(commandTree, "start"),
    canCopy: env["STEPGATE_UI_COPY"] === "1",
    confirmBy: (await context.configured("ui.confirm_approval")) === "id" ? ("id" as const) : ("id-prefix" as const),
    isSpoken: isSpoken(context),
  };
  return { client, place, logFile };
}

function isSpoken({ flags, terminal: { env } }: Context): boolean {
  return flags.accessible || Boolean(env["STEPGATE_ACCESSIBLE"]) || env["INK_SCREEN_READER"] === "true";
}
