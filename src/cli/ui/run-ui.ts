import { render } from "ink";
import { createElement } from "react";
import type { RunDetail } from "../../contract/run.ts";
import { reasonOf } from "../cli-error.ts";
import type { Client } from "../client.ts";
import type { Terminal } from "../context.ts";
import { runPath } from "../find-run.ts";
import { App, type AppHandle } from "./app.tsx";
import type { Theme } from "./draw/theme.ts";
import { makeWaiting } from "./live/backoff.ts";
import { followOpenRun } from "./live/follow-run.ts";
import { askDaemon, type DaemonEffect, isForDaemon } from "./live/perform.ts";
import { pollRuns } from "./live/poll-runs.ts";
import { editJson, readLog, showInPager, startDaemon } from "./live/programs.ts";
import { Session, systemTicker, type Ticker } from "./live/session.ts";
import { watchRuns } from "./live/watch-runs.ts";
import { type Effect, firstModel, type Place, type Start } from "./model/model.ts";

export type UiParts = {
  client: Client;
  place: Place;
  theme: Theme;
  start: Start;
  terminal: Terminal;
  logFile: string;
  ticker?: Ticker;
  random?: () => number;
  /** For tests: each frame is written whole. */
  isDebug?: boolean;
};

/** Runs the terminal UI until a person ends it; resolves to the exit code: 0, or 130 after Ctrl-C (cli.md). */
export async function runUi(parts: UiParts): Promise<number> {
  const { place, theme, start, terminal, ticker = systemTicker } = parts;
  const { stdout } = terminal;
  const size = { columns: stdout.columns || 80, rows: stdout.rows || 24 };
  const over = new AbortController();
  const ui = new Ui(parts, ticker, over.signal);
  const session = new Session(firstModel(place, size, ticker.now(), start), ticker, ui.perform);
  const instance = render(createElement(App, { session, theme, now: ticker.now, onReady: ui.setApp }), {
    stdin: terminal.stdin,
    stdout,
    stderr: terminal.stderr,
    // A screen reader reads on from where it is: it has no use for a second screen.
    alternateScreen: !place.isSpoken,
    incrementalRendering: true,
    maxFps: 30,
    exitOnCtrlC: false,
    interactive: true,
    patchConsole: false,
    isScreenReaderEnabled: place.isSpoken,
    debug: parts.isDebug ?? false,
  });
  ui.attach(session, () => instance.clear());
  const stopClock = place.isSpoken ? () => undefined : startClock(session, ticker);
  const watching = ui.watch();
  ui.open(start);
  try {
    const code: unknown = await instance.waitUntilExit();
    return typeof code === "number" ? code : 0;
  } finally {
    over.abort();
    session.end();
    stopClock();
    ui.stopFollowing();
    await watching;
  }
}

/** Ages and countdowns move once a second. */
function startClock(session: Session, ticker: Ticker): () => void {
  let stop = () => undefined as void;
  const beat = () => {
    stop = ticker.after(1000, () => {
      session.tell({ type: "tick", at: ticker.now() });
      beat();
    });
  };
  beat();
  return () => stop();
}

/** What the model's effects do to the world outside. */
class Ui {
  readonly #parts: UiParts;
  readonly #ticker: Ticker;
  readonly #signal: AbortSignal;
  readonly #waiting;
  #session: Session | null = null;
  #app: AppHandle | null = null;
  #redraw: () => void = () => undefined;
  #following: AbortController | null = null;

  constructor(parts: UiParts, ticker: Ticker, signal: AbortSignal) {
    this.#parts = parts;
    this.#ticker = ticker;
    this.#signal = signal;
    this.#waiting = makeWaiting(ticker);
  }

  readonly setApp = (app: AppHandle): void => void (this.#app = app);

  attach(session: Session, redraw: () => void): void {
    this.#session = session;
    this.#redraw = redraw;
  }

  readonly #tell = (message: Parameters<Session["tell"]>[0]): void => this.#session?.tell(message);

  async watch(): Promise<void> {
    const { client, place, random = Math.random } = this.#parts;
    const { now } = this.#ticker;
    const parts = { client, tell: this.#tell, now, random, waiting: this.#waiting, signal: this.#signal };
    await (place.isLocal ? watchRuns(parts) : pollRuns(parts));
  }

  open({ runId, workflow }: Start): void {
    if (runId !== undefined) this.perform({ type: "follow-run", runId });
    if (workflow !== undefined) this.perform({ type: "load-graph", workflowId: workflow, version: null });
  }

  readonly perform = (effect: Effect): void => {
    if (isForDaemon(effect)) {
      const { client, place } = this.#parts;
      void askDaemon(effect, { client, isLocal: place.isLocal, tell: this.#tell, now: this.#ticker.now });
    } else this.#act(effect).catch((error: unknown) => this.#say(reasonOf(error), true));
  };

  stopFollowing(): void {
    this.#following?.abort();
    this.#following = null;
  }

  #say(text: string, isBad: boolean): void {
    this.#tell({ type: "said", text, isBad, at: this.#ticker.now() });
  }

  async #act(effect: Exclude<Effect, DaemonEffect>): Promise<void> {
    const act = this.#acts[effect.type] as (effect: Effect) => void | Promise<void>;
    await act(effect);
  }

  readonly #acts: {
    [T in Exclude<Effect, DaemonEffect>["type"]]: (effect: Extract<Effect, { type: T }>) => void | Promise<void>;
  } = {
    quit: ({ code }) => this.#app?.exit(code),
    redraw: () => {
      this.#redraw();
      this.#tell({ type: "tick", at: this.#ticker.now() });
    },
    retry: () => this.#waiting.hurry(),
    "follow-run": ({ runId }) => this.#follow(runId),
    "read-log": async () => this.#tell({ type: "log", lines: await readLog(this.#parts.logFile) }),
    copy: ({ text }) => {
      this.#parts.terminal.stdout.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
    },
    pager: async ({ text }) => this.#app?.suspendTerminal(async () => showInPager(text, this.#parts.terminal.env)),
    "edit-input": async ({ runId }) => this.#editInput(runId),
    "start-daemon": async () => this.#startDaemon(),
    suspend: async () => this.#app?.suspendTerminal(stopProcess),
  };

  #follow(runId: string | null): void {
    this.stopFollowing();
    if (runId === null) return;
    this.#following = new AbortController();
    const signal = AbortSignal.any([this.#following.signal, this.#signal]);
    const parts = {
      client: this.#parts.client,
      tell: this.#tell,
      ticker: this.#ticker,
      waiting: makeWaiting(this.#ticker),
      signal,
    };
    void followOpenRun(runId, parts);
  }

  async #editInput(runId: string): Promise<void> {
    const { client, terminal } = this.#parts;
    const { input } = await client.get<RunDetail>(`${runPath(runId)}?steps=none`);
    await this.#app?.suspendTerminal(async () => {
      const edited = await editJson(input, terminal.env);
      this.#tell({ type: "edited", runId, ...edited });
    });
  }

  async #startDaemon(): Promise<void> {
    this.#say("Starting the daemon", false);
    const problem = await startDaemon(this.#parts.terminal.env);
    this.#say(problem ?? "The daemon was started", problem !== null);
    if (problem === null) this.#waiting.hurry();
  }
}

/** Goes to the background as the shell expects it of a job, and comes back with it. */
async function stopProcess(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.once("SIGCONT", () => resolve());
  process.kill(0, "SIGTSTP");
  await promise;
}
