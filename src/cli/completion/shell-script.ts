import { script } from "@bomb.sh/tab";
import { captured } from "./captured.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/**
 * The completion script of a shell, which asks `program` (a word for the shell, quoted where that is needed) what could
 * stand at the cursor.
 */
export function shellScript(shell: Shell, program: string): string {
  const [text = ""] = captured(() => script(shell, "stepgate", program));
  return shell === "bash" ? adaptBash(text, program) : text;
}

/**
 * Tab's script for bash evaluates the words that are being typed, which would run a `$(…)` in them at the press of a key;
 * can't be sourced twice; needs the package bash-completion; and never falls back to files. Throws when tab changed it.
 */
function adaptBash(text: string, program: string): string {
  const start = text.indexOf("    local requestComp out directive");
  const evaluated = '    out=$(eval "$requestComp" 2>/dev/null)\n';
  const end = text.indexOf(evaluated);
  if (start === -1 || end === -1) throw new Error("tab's script for bash has changed");
  const asked = `    local out directive\n    out=$(${program} complete -- "\${words[@]:1:cword}" 2>/dev/null)\n`;
  return replaceOnce(`${text.slice(0, start)}${asked}${text.slice(end + evaluated.length)}`, [
    ['    _get_comp_words_by_ref -n "=:" cur prev words cword\n', findWords],
    ["complete -F __stepgate_complete stepgate", "complete -o default -F __stepgate_complete stepgate"],
  ]).replace(/^readonly (?=ShellComp)/gm, "");
}

const findWords = `    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n "=:" cur prev words cword
    else
        words=("\${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=\${COMP_WORDS[COMP_CWORD]}
    fi
`;

function replaceOnce(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((result, [search, replacement]) => {
    const parts = result.split(search);
    if (parts.length !== 2) throw new Error(`tab's script for bash has changed: ${search}`);
    return parts.join(replacement);
  }, text);
}
