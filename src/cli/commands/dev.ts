import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import type { Home } from "../../contract/home.ts";
import type { MintedKey } from "../../contract/key.ts";
import { reasonOf } from "../cli-error.ts";
import { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { printBanner } from "../dev/banner.ts";
import { findFreePort } from "../dev/find-free-port.ts";
import { followRuns } from "../dev/follow-runs.ts";
import { printNews } from "../dev/journal.ts";
import { requireScreen, showUi } from "../dev/show-ui.ts";
import { watchWorkflows } from "../dev/watch-workflows.ts";
import { mcpKeyFile } from "../mcp/provide-key.ts";
import { flag, optionalRest, value, wholeNumber } from "../option.ts";
import { printPublished } from "../publish/print-published.ts";
import { projectWorkflowFolders } from "../publish/project-workflows.ts";
import { publishHere } from "../publish/publish-here.ts";
import { safeText } from "../safe-text.ts";
import { type SignalStop, stopOnSignal } from "../stop-on-signal.ts";
import type { RunningDaemon } from "../wiring.ts";
import { readWorkflowFiles } from "../workflow-files.ts";
import { mintInto } from "../write-key-file.ts";

const usualPort = 7717;

export const dev = defineCommand({
  name: "dev",
  summary: "run a daemon for trying things out: publishes files as they change, shows every run",
  arguments: { paths: optionalRest("files and folders to publish and watch; else those of stepgate.yaml") },
  options: {
    port: value("PORT", "port to listen on, 0 for any free one (7717, or one of the ten after it)", {
      parse: wholeNumber(0, 65_535),
    }),
    store: value("DIR", "keep data in this folder; else in a temporary one, which goes at the end"),
    openUi: flag("show the runs in the terminal UI; with it dev ends, too"),
  },
  examples: ["dev", "dev workflows/ --port 0", "dev --store .stepgate", "dev --open-ui"],
  async action(context, { paths, port = usualPort, store, openUi }) {
    if (openUi) requireScreen(context);
    const watched = paths.length > 0 ? paths : await projectWorkflowFolders(context);
    const stop = stopOnSignal();
    const folder = store === undefined ? mkdtempSync(join(tmpdir(), "stepgate-dev-")) : resolve(store);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await serve(context, { folder, watched, port, stop, hasUi: openUi, isTemporary: store === undefined });
    } finally {
      stop.release();
      if (store === undefined) rmSync(folder, { recursive: true, force: true });
    }
  },
});

type Session = {
  folder: string;
  watched: readonly string[];
  port: number;
  stop: SignalStop;
  /** The terminal belongs to the terminal UI, and nothing else is printed. */
  hasUi: boolean;
  isTemporary: boolean;
};

async function serve(context: Context, session: Session): Promise<void> {
  const { wiring, terminal } = context;
  const env = { ...terminal.env, STEPGATE_HOME: session.folder };
  const home = await wiring.resolveHome(env);
  const daemon = await wiring.startDaemon({
    home,
    version: wiring.version,
    logFormat: "pretty",
    ...(session.hasUi && { logFile: home.logFile }),
    env,
    configFile: await context.userFile(),
    // The runs themselves are shown: of the log, what needs attention is enough.
    flags: {
      "server.host": "127.0.0.1",
      "server.port": await findFreePort("127.0.0.1", session.port),
      "log.level": terminal.env["STEPGATE_LOG_LEVEL"] ?? (context.flags.verbose ? "info" : "warn"),
    },
  });
  session.stop.begin(daemon);
  const open = new AbortController();
  void daemon.stopped.then(() => open.abort());
  void session.stop.asked.then(() => {
    if (!session.hasUi)
      context.output.note("Stopping: steps in progress may take up to 35 s; Ctrl-C again ends them at once.");
    open.abort();
  });
  try {
    await work(context, session, { daemon, home, signal: open.signal });
  } finally {
    await daemon.stop();
  }
}

type Work = { daemon: RunningDaemon; home: Home; signal: AbortSignal };

async function work(context: Context, session: Session, { daemon, home, signal }: Work): Promise<void> {
  const { output } = context;
  const client = new Client({ socketPath: home.socket }, { signal });
  const keyFile = mcpKeyFile(home);
  const mint = async () => client.post<MintedKey>("/control/keys", { name: "dev" });
  if (!existsSync(keyFile)) await mintInto(keyFile, mint);
  let isPrinting = true;
  const publish = async (paths: readonly string[]) => publishChanged(context, client, paths, isPrinting);
  await publish(session.watched);
  isPrinting = !session.hasUi;
  const endWatch = await watchWorkflows(
    session.watched.map((path) => resolve(path)),
    publish,
  );
  await printBanner(output, { daemon, home, keyFile, ...session });
  try {
    if (session.hasUi) return await showUi(context, session.folder, signal);
    for await (const news of followRuns(client, signal)) printNews(output, news);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await endWatch();
  }
}

/** Publishes and tells what came of it; a file that is wrong ends nothing: it is about to be changed. */
async function publishChanged(
  { output, terminal }: Context,
  client: Client,
  paths: readonly string[],
  isPrinting: boolean,
): Promise<void> {
  try {
    const files = readWorkflowFiles(paths.map((path) => relative(process.cwd(), path) || "."));
    const rules = { check: false, slug: undefined, allowBreaking: true, asNew: false, renameFrom: undefined };
    const result = await publishHere(client, files, rules);
    if (!isPrinting) return;
    if (output.format === "json" || output.format === "jsonl") output.document({ type: "publish", ...result });
    else await printPublished(output, result, false);
  } catch (error) {
    if (isPrinting) terminal.stderr.write(`stepgate: ${safeText(reasonOf(error))}\n`);
  }
}
