import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { stepgate } from "../support/command-line.ts";
import { greet } from "./workflows.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const scripted = greet
  .replace("slug: greet", "slug: second")
  .replace(/^ {2}- \{id: say.*$/m, '  - {id: say, type: code, data: {code: "export const run = () => ({ text: 1 })"}}');

/** A checkout of its own, so that the files in workflows/ can be changed. */
let checkout = "";
let home = "";

beforeAll(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), "stepgate start-")));
  home = join(checkout, ".stepgate");
  cpSync(join(root, "scripts"), join(checkout, "scripts"), { recursive: true });
  cpSync(join(root, "package.json"), join(checkout, "package.json"));
  for (const part of ["src", "node_modules", "bin"]) symlinkSync(join(root, part), join(checkout, part));
  mkdirSync(join(checkout, "workflows"));
  writeFileSync(join(checkout, "workflows/hello.yaml"), greet.replace("slug: greet", "slug: hello"));
});
afterAll(() => rmSync(checkout, { recursive: true }));

/** npm start without npm, in a process group of its own as a terminal would have it. */
class Start {
  readonly #child;
  readonly #closed: Promise<number>;
  output = "";
  #onOutput: () => void = () => undefined;

  constructor() {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("STEPGATE_"));
    this.#child = spawn("node", [join(checkout, "scripts/run.mjs"), "node", join(checkout, "scripts/start.ts")], {
      env: { ...Object.fromEntries(inherited), STEPGATE_PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding("utf8").on("data", (printed: string) => {
        this.output += printed;
        this.#onOutput();
      });
    }
    this.#closed = once(this.#child, "close").then(([code]) => Number(code));
    // A failed test leaves nothing behind. The daemon ends by itself when this has.
    onTestFinished(() => {
      if (this.#child.exitCode === null && this.#child.signalCode === null) void this.end("SIGKILL");
    });
  }

  /** Waits until a text was printed; throws when the end comes first. */
  async until(printed: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#onOutput = () => this.output.includes(printed) && resolve();
    this.#onOutput();
    void this.#closed.then(() => reject(new Error(`npm start ended: ${this.output}`)));
    await promise;
    return this.output;
  }

  /** Signals the whole group, as a terminal does. */
  async end(signal?: NodeJS.Signals): Promise<number> {
    if (signal && this.#child.pid) process.kill(-this.#child.pid, signal);
    return this.#closed;
  }
}

it("npm start serves, publishes, mints a key, runs the example, follows files, and drains at Ctrl-C", async () => {
  const first = new Start();
  const output = await first.until("Ctrl-C stops the daemon");
  expect(output.match(/^\$ stepgate \w+/gm)).toEqual(
    ["serve", "publish", "keys", "run"].map((name) => `$ stepgate ${name}`),
  );
  expect(output).toMatch(/^published\tworkflows\/hello\.yaml\thello\t1$/m);
  expect(output).toMatch(/\tstep_completed\tdone\t/);
  const key = /sgt_[\w-]{32}/.exec(output)?.[0] ?? "";
  expect(key).not.toBe("");

  const lines = output.split("\n").filter((line) => line.startsWith("RUN=") || line.startsWith("curl "));
  const pasted = spawn("bash", ["-c", lines.join("\n")], { stdio: ["ignore", "pipe", "inherit"] });
  const [answer] = await once(pasted.stdout, "data");
  expect(JSON.parse(String(answer))).toMatchObject({ action_slug: "hello", input: { name: "Ada" } });

  const inAnotherTerminal = /^export .*/m.exec(output)?.[0] ?? "";
  const reached = spawn("bash", ["-c", `${inAnotherTerminal}\nstepgate status --json`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  expect(JSON.parse(await text(reached.stdout))).toMatchObject({ running: true, db: join(home, "stepgate.db") });

  // A test beside a workflow is saved with it and is none itself; a script starts the sandbox.
  writeFileSync(join(checkout, "workflows/second.test.yaml"), "- name: nothing\n");
  writeFileSync(join(checkout, "workflows/second.yaml"), scripted);
  await first.until("published\tworkflows/second.yaml\tsecond\t1");
  expect(first.output).not.toMatch(/Warning|second\.test\.yaml/);

  const second = new Start();
  expect(await second.end()).toBe(6);
  expect(second.output).toContain("Stepgate runs already");

  expect(await first.end("SIGINT")).toBe(0);
  expect((await stepgate(home, ["status"])).code).toBe(3);

  const third = new Start();
  const later = await third.until("Ctrl-C stops the daemon");
  expect(later).not.toContain(key);
  expect(later).toContain(join(home, "local-agent.key"));
  await third.end("SIGKILL");
  // The daemon is in a group of its own; it ends because its parent is gone.
  while ((await stepgate(home, ["status"])).code === 0);
}, 60_000);
