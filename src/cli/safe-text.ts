import { stripVTControlCharacters } from "node:util";

/**
 * Characters that steer a terminal or hide: C0, C1, DEL, bidi, zero-width and other invisible ones, lone surrogates.
 * The two variation selectors of emoji change no meaning and stay.
 */
const unsafe = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\ufe0e\ufe0f]]/gv;

const named: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return named[character] ?? `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 5)}}`;
}

/**
 * Makes text from outside fit for a terminal and for one TSV cell: escape sequences are taken out, what steers or hides
 * is written out, line breaks and tabs too (cli.md, measured fact 5).
 */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replace(unsafe, escapeCharacter);
}

/** Like `safeText`, but lines stay lines: for messages, never for table cells. */
export function safeLines(text: string): string {
  return text.split("\n").map(safeText).join("\n");
}

/** JSON in which what `safeText` would write out is a \u escape: the same document, harmless in a terminal. */
export function safeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value ?? null, null, indent);
  return text.replace(unsafe, (character) => {
    if (character === "\n") return character;
    return character.replace(/[\s\S]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);
  });
}
