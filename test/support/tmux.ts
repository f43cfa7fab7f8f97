import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** Whether there is a tmux to run real terminals in. */
export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** A real terminal, in a tmux server of its own. */
export class TmuxTerminal implements Disposable {
  readonly #socket = `stepgate-${randomUUID().slice(0, 8)}`;

  /** Starts a shell command; what it leaves on the screen stays until the terminal is closed. */
  constructor(
    command: string,
    { columns = 80, rows = 24, env = {} }: { columns?: number; rows?: number; env?: NodeJS.ProcessEnv } = {},
  ) {
    const size = ["-x", String(columns), "-y", String(rows)];
    const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value ?? ""}`]);
    // -f: nobody's own configuration. -u: what is written is UTF-8, whatever the machine says.
    this.#run(
      "-f",
      "/dev/null",
      "-u",
      "new-session",
      "-d",
      ...size,
      ...variables,
      `${command}; echo "ended with $?"; exec sleep 600`,
    );
    this.#run("set-option", "-g", "default-terminal", "tmux-256color");
  }

  #run(...args: string[]): string {
    // A person sits at this terminal, also where the tests run in a pipeline.
    const { CI: _, ...env } = process.env;
    return execFileSync("tmux", ["-L", this.#socket, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env,
    });
  }

  /** The screen, without trailing blanks; with its colours as escape sequences where asked for. */
  screen({ isColoured = false } = {}): string {
    return this.#run("capture-pane", "-p", ...(isColoured ? ["-e", "-N"] : []));
  }

  /** Whether a program shows its own screen in place of the terminal's. */
  get isAlternate(): boolean {
    return this.#run("display-message", "-p", "#{alternate_on}").trim() === "1";
  }

  /** Presses keys by tmux's names, such as Enter, Escape or C-c. */
  press(...keys: string[]): void {
    for (const key of keys) this.#run("send-keys", key);
  }

  type(text: string): void {
    this.#run("send-keys", "-l", text);
  }

  resize(columns: number, rows: number): void {
    this.#run("resize-window", "-x", String(columns), "-y", String(rows));
  }

  async shows(wanted: string | RegExp, timeoutMs = 20_000): Promise<string> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const screen = this.screen();
      if (typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen)) return screen;
      if (performance.now() > deadline) throw new Error(`The terminal does not show ${String(wanted)}:\n${screen}`);
      await sleep(50);
    }
  }

  [Symbol.dispose](): void {
    spawnSync("tmux", ["-L", this.#socket, "kill-server"]);
  }
}
