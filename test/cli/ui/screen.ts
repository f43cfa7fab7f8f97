import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import { Client } from "../../../src/cli/client.ts";
import type { Terminal } from "../../../src/cli/context.ts";
import type { Target } from "../../../src/cli/exchange.ts";
import { makeTheme } from "../../../src/cli/ui/draw/theme.ts";
import { systemTicker } from "../../../src/cli/ui/live/session.ts";
import type { Place, Start } from "../../../src/cli/ui/model/model.ts";
import { runUi } from "../../../src/cli/ui/run-ui.ts";
import { now, place } from "./samples.ts";

const startedAt = Date.now();

type Options = {
  columns?: number;
  rows?: number;
  place?: Partial<Place>;
  start?: Start;
  env?: NodeJS.ProcessEnv;
  logFile?: string;
  /** Whole frames instead of what changed. */
  isDebug?: boolean;
};

/** The terminal UI with Ink on a terminal that is none: what it writes are whole frames, what is typed are bytes. */
export class Screen {
  readonly stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  readonly stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => this.stdin,
    ref: () => this.stdin,
    unref: () => this.stdin,
  });
  readonly frames: string[] = [];
  /** Everything else that was written, such as escape sequences. */
  readonly written: string[] = [];
  readonly ended: Promise<number>;
  #wake: () => void = () => undefined;

  constructor(
    target: Target,
    { columns = 80, rows = 24, start = { screen: "runs" }, isDebug = true, ...options }: Options = {},
  ) {
    Object.assign(this.stdout, { columns, rows });
    this.stdout.on("data", (data: Buffer) => this.#take(data.toString()));
    const client = new Client(target, { signal: new AbortController().signal });
    client.patienceMs = 0;
    const { stdout, stdin } = this;
    const terminal = { stdin, stdout, stderr: new PassThrough(), env: options.env ?? {} } as unknown as Terminal;
    this.ended = runUi({
      client,
      place: { ...place, ...options.place },
      theme: makeTheme({ isAscii: false, isColoured: false }),
      start,
      terminal,
      logFile: options.logFile ?? "/nowhere",
      ticker: { ...systemTicker, now: () => now + Date.now() - startedAt },
      random: () => 0,
      isDebug,
    });
    onTestFinished(async () => {
      this.type("\u0003");
      await this.ended;
    });
  }

  #take(text: string): void {
    // A frame has lines, or is the one line of a terminal that is too small; all else are escape sequences.
    if (text.startsWith("\u001b") && !text.includes("\n")) this.written.push(text);
    else this.frames.push(text.replace(/\n$/, ""));
    this.#wake();
  }

  get frame(): string {
    return this.frames.at(-1) ?? "";
  }

  type(text: string): void {
    this.stdin.write(text);
  }

  resize(columns: number, rows: number): void {
    Object.assign(this.stdout, { columns, rows });
    this.stdout.emit("resize");
  }

  /** Waits until a frame shows this, and gives it. */
  async shows(wanted: string | RegExp): Promise<string> {
    const fits = () => (typeof wanted === "string" ? this.frame.includes(wanted) : wanted.test(this.frame));
    const limit = AbortSignal.timeout(5000);
    while (!fits()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      limit.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      if (limit.aborted) throw new Error(`The screen does not show ${String(wanted)}:\n${this.frame}`);
    }
    return this.frame;
  }

  /** Types, then waits for what it should lead to. */
  async press(text: string, wanted: string | RegExp): Promise<string> {
    this.type(text);
    return this.shows(wanted);
  }
}
