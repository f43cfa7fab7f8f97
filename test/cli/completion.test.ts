import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commandTree } from "../../src/cli/commands/index.ts";
import { complete } from "../../src/cli/completion/complete.ts";
import { files } from "../../src/cli/completion/sources.ts";
import { loadCommands } from "../../src/cli/load-commands.ts";
import { type Ended, launcher, stepgate } from "../support/command-line.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { greet } from "./workflows.ts";

const commands = await loadCommands(commandTree);

const daemon = new DaemonProcess();
const bin = join(daemon.home, "bin");
const user = join(daemon.home, "user");
beforeAll(async () => {
  await daemon.start();
  daemon.prepare(greet);
  mkdirSync(bin);
  mkdirSync(user);
  symlinkSync(launcher, join(bin, "stepgate"));
});
afterAll(async () => daemon.stop());

const stepgateHere = async (...args: string[]): Promise<Ended> => stepgate(daemon.home, args);

type Offer = { values: string[]; directive: string };

/** The values that are offered, and what the shell is to do about files. */
function readOffer(lines: readonly string[]): Offer {
  return { values: lines.slice(0, -1).map((line) => line.split("\t", 1)[0] ?? ""), directive: lines.at(-1) ?? "" };
}

/** What a daemon of one's own could say. */
const known = ["greet", "goodbye", "$(touch owned)", "a b", "`id`", "-rf", "x;y"].map((value) => ({
  value,
  description: "a\nb",
}));

it.each<[typed: string[], values: string[], directive?: string]>([
  [["act"], ["actions"]],
  [["runs", "jou"], ["journal"]],
  [["action", "sch"], ["schema"]],
  [["runs", "list", "--needs"], ["--needs-approval"]],
  [
    ["--color", "a"],
    ["auto", "always"],
  ],
  [["runs", "list", "--color", "n"], ["never"]],
  [
    ["runs", "list", "--status", "wai"],
    ["waiting", "waiting_for_approval"],
  ],
  [["runs", "list", "--source", "sch"], ["schedule"]],
  [["connections", "add", "gr"], ["greet"]],
  [["triggers", "fire", "gr"], ["greet"]],
  [["mcp", "install", "cu"], ["cursor"]],
  [["run", "gr"], ["greet"]],
  [["run", "--wait", "go"], ["goodbye"]],
  [
    ["run", ""],
    ["greet", "goodbye"],
  ],
  [
    ["keys", "mint", "--scope", "g"],
    ["greet", "goodbye"],
  ],
  [["approvals", "show", "gr"], ["greet"]],
  [["publish", "flo"], [], ":0"],
  [["keys", "mint", "--out", ""], [], ":0"],
  [["init", ""], [], ":0"],
  [["workspace", "create", ""], []],
])(
  "%j can become %j, and a name that a shell would carry out is not offered",
  async (typed, values, directive = ":4") => {
    const read = async (source: unknown) => (source === files ? [] : known);
    expect(readOffer(await complete(commands, typed, read))).toEqual({ values, directive });
  },
);

it("settings and topics come from the program", async () => {
  const offer = async (...typed: string[]) =>
    readOffer((await stepgateHere("complete", "--", ...typed)).stdout.trimEnd().split("\n")).values;
  expect(await offer("config", "get", "limits.runs")).toEqual(["limits.runsPerHour"]);
  expect(await offer("help", "exit")).toEqual(["exit-codes"]);
});

it("slugs and ids come from the daemon, and nothing is said where none answers", async () => {
  const id = (await stepgateHere("run", "greet", "-i", "name=Ada", "-q")).stdout.trim();
  expect((await stepgateHere("complete", "--", "runs", "show", "")).stdout).toContain(`${id}\tgreet `);
  const nobody = await stepgateHere("complete", "--", "runs", "show", "--url", "http://127.0.0.1:1", "");
  expect(nobody).toEqual({ stdout: ":4\n", stderr: "", code: 0 });
});

const isHere = (shell: string) =>
  (process.env["PATH"] ?? "").split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, shell), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Runs a script in a shell without the user's own settings. */
async function inShell(shell: string, args: readonly string[], script: string): Promise<string> {
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: user, STEPGATE_HOME: daemon.home, TERM: "dumb" };
  const child = spawn(shell, [...args, "-c", script], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return stdout + stderr;
}

it("bash completes with the script, sourced twice, and runs nothing that is being typed", async () => {
  const script = join(daemon.home, "completion.bash");
  writeFileSync(script, (await stepgateHere("completion", "bash")).stdout);
  const ask = (words: string, at: number) => `COMP_WORDS=(${words}); COMP_CWORD=${at}; COMPREPLY=();
    __stepgate_complete 2>/dev/null; echo "\${COMPREPLY[*]}"`;
  const owned = join(daemon.home, "owned");
  const output = await inShell(
    "bash",
    ["--norc"],
    `source ${script}; source ${script}; ${ask("stepgate run gr", 2)}; ${ask("stepgate runs ''", 2)};
     ${ask(`stepgate run '$(touch ${owned})' ''`, 3)}`,
  );
  const [actions, verbs] = output.split("\n");
  expect([actions, verbs?.split(" ").includes("journal"), existsSync(owned)]).toEqual(["greet", true, false]);
});

it("each shell takes its script without a word", async () => {
  for (const [shell, args] of [
    ["bash", ["--norc"]],
    ["zsh", ["-f"]],
    ["fish", ["--no-config"]],
  ] as const) {
    if (!isHere(shell)) continue;
    const file = join(daemon.home, `completion.${shell}`);
    writeFileSync(file, (await stepgateHere("completion", shell)).stdout);
    const prepare = shell === "zsh" ? "autoload -Uz compinit; compinit -u -D; " : "";
    expect([shell, await inShell(shell, args, `${prepare}source ${file}; echo done`)]).toEqual([shell, "done\n"]);
  }
});

it("fish completes with the script, where there is a fish", async () => {
  if (!isHere("fish")) return;
  const file = join(daemon.home, "completion.fish");
  writeFileSync(file, (await stepgateHere("completion", "fish")).stdout);
  const output = await inShell("fish", ["--no-config"], `source ${file}; complete --do-complete "stepgate run gr"`);
  expect(output).toBe("greet\tGreet\n");
});

it("--install writes the script where the shell looks", async () => {
  const env = { HOME: user, XDG_DATA_HOME: "", XDG_CONFIG_HOME: "" };
  const places = {
    bash: ".local/share/bash-completion/completions/stepgate",
    zsh: ".local/share/zsh/site-functions/_stepgate",
    fish: ".config/fish/completions/stepgate.fish",
  };
  for (const [shell, place] of Object.entries(places)) {
    const { stdout } = await stepgate(daemon.home, ["completion", shell, "--install", "--json"], { env });
    expect(JSON.parse(stdout)).toMatchObject({ shell, file: join(user, place) });
    expect(readFileSync(join(user, place), "utf8")).toContain("stepgate");
  }
});
