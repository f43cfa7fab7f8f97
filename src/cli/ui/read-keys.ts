import type { Key } from "ink";

const named: readonly [field: keyof Key, name: string][] = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "esc"],
  ["backspace", "backspace"],
  ["delete", "delete"],
];

const controls: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\r\n": "enter",
  "\t": "tab",
  " ": "space",
  "\x7f": "backspace",
  "\b": "backspace",
};

/** What is left of a control sequence that Ink does not know, without its escape: an answer of the terminal, no text. */
const foreign = /^(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?|O[\x20-\x7e])$/;

/**
 * Names the keys of one reading of the terminal. Fast keys arrive together as one text, an Enter among them (cli.md,
 * measured fact 1b), so the text is taken apart by what a person sees as characters.
 */
export function readKeys(input: string, key: Key): string[] {
  const special = named.find(([field]) => key[field]);
  if (special) return [special[1]];
  if (key.tab) return [key.shift ? "shift-tab" : "tab"];
  if (key.ctrl) return /^[a-z]$/i.test(input) ? [`ctrl-${input.toLowerCase()}`] : [];
  // Alt and a key mean nothing here, and must not be taken for the key.
  if (key.meta || (input.length > 1 && foreign.test(input))) return [];
  return [...new Intl.Segmenter().segment(input)].flatMap(({ segment }) => {
    const control = controls[segment];
    if (control !== undefined) return [control];
    return /^\p{Cc}/u.test(segment) ? [] : [segment];
  });
}
