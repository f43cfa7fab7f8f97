import { styleText } from "node:util";

export const styles = ["bold", "dim", "red", "green", "yellow", "cyan", "magenta"] as const;
export type Style = (typeof styles)[number];

/** Colours a text, or leaves it alone where colours are off. */
export type Paint = (style: Style, text: string) => string;

export type ColourChoice = "auto" | "always" | "never";

/** Whether to colour a stream: --color, then FORCE_COLOR, then NO_COLOR, then the terminal (cli.md, measured fact 17). */
export function wantsColour(choice: ColourChoice, env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (choice !== "auto") return choice === "always";
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return !env["NO_COLOR"] && isTerminal && env["TERM"] !== "dumb";
}

export function makePaint(isOn: boolean): Paint {
  return isOn ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
}
