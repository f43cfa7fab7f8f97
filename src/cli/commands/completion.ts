import { accessSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { type Shell, shells } from "../completion/shell-script.ts";
import { quote } from "../mcp/config-file.ts";
import { launcherPath } from "../mcp/launcher.ts";
import { type Argument, argument, flag, oneOf } from "../option.ts";
import { printSheet } from "../print.ts";

const readShell = oneOf(...shells);
const shellArgument: Argument<Shell> = {
  ...argument(`one of ${shells.join(", ")}`),
  choices: shells,
  read: ([text = ""]) => readShell(text),
};

export const completion = defineCommand({
  name: "completion",
  summary: "print the script with which a shell completes commands, flags and names",
  arguments: { shell: shellArgument },
  options: { install: flag("write it where the shell looks for such scripts") },
  examples: ["completion bash", "completion zsh --install", "completion fish --install"],
  async action({ terminal: { env }, output }, { shell, install }) {
    const { shellScript } = await import("../completion/shell-script.ts");
    const script = shellScript(shell, programWord(env));
    if (!install && output.format === "json") return output.document({ shell, script });
    if (!install) return output.print(script.trimEnd());
    const { file, next } = places[shell](env);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, script);
    await printSheet(output, {
      json: { shell, file, next },
      id: file,
      fields: [
        ["shell", textCell(shell)],
        ["file", textCell(file)],
        ["next", textCell(next)],
      ],
    });
  },
});

type Place = { file: string; next: string };

/** Where each shell looks by itself, or nearly so. */
const places: Record<Shell, (env: NodeJS.ProcessEnv) => Place> = {
  bash: (env) => {
    const file = join(dataFolder(env), "bash-completion/completions/stepgate");
    return { file, next: `a new shell has it; without the package bash-completion, add to ~/.bashrc: source ${file}` };
  },
  zsh: (env) => {
    const folder = join(dataFolder(env), "zsh/site-functions");
    const line = `fpath=(${folder} $fpath); autoload -Uz compinit; compinit`;
    return { file: join(folder, "_stepgate"), next: `a new shell has it once ~/.zshrc says: ${line}` };
  },
  fish: (env) => {
    const file = join(env["XDG_CONFIG_HOME"] || join(home(env), ".config"), "fish/completions/stepgate.fish");
    return { file, next: "a new shell has it" };
  },
};

function dataFolder(env: NodeJS.ProcessEnv): string {
  return env["XDG_DATA_HOME"] || join(home(env), ".local/share");
}

function home(env: NodeJS.ProcessEnv): string {
  return env["HOME"] || homedir();
}

/** What the script calls: the name, where the shell finds a program by it, else the path of this one. */
function programWord({ PATH = "" }: NodeJS.ProcessEnv): string {
  const isFound = PATH.split(delimiter).some((folder) => folder !== "" && isExecutable(join(folder, "stepgate")));
  const path = launcherPath();
  if (isFound) return "stepgate";
  return quote(path);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
