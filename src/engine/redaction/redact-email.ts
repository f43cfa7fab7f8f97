import type { Tally } from "./redact-text.ts";

const dotCode = 0x2e;
const local = charClass(/[\w.%+-]/);
const domain = charClass(/[A-Za-z0-9.-]/);
const letter = charClass(/[A-Za-z]/);
/** Of those that take one UTF-16 unit. */
const otherLetter = /[\p{L}\p{M}]/u;

/**
 * Replaces e-mail addresses (spec 2.9): what `[L0-9._%+-]+@[L0-9.-]+\.L{2,}` matches, L being the letters of every script
 * with their marks (RFC 6531: addresses such as those under .рф), but in linear time. That pattern is quadratic on a long
 * text without spaces, so the scan goes outwards from each `@` instead, to the left no further than the end of the match
 * before.
 */
export function redactEmails(text: string, tally: Tally): string {
  let kept = "";
  let from = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const start = findStart(text, at, from);
    const end = start < at ? findEnd(text, at + 1) : 0;
    if (end === 0) continue;
    kept += `${text.slice(from, start)}[REDACTED_EMAIL]`;
    from = end;
    tally.count++;
  }
  return kept + text.slice(from);
}

/** The ASCII characters that the pattern matches, as a table by code. */
function charClass(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => Number(pattern.test(String.fromCharCode(code))));
}

/** Letters of other scripts, and the marks that are part of them, are in every set; what is beyond the text in none. */
function isIn(set: Uint8Array, text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? set[code] === 1 : code >= 0xaa && otherLetter.test(text.charAt(at));
}

function findStart(text: string, at: number, from: number): number {
  let start = at;
  while (start > from && isIn(local, text, start - 1)) start--;
  return start;
}

/** The end of the address whose domain starts at `start`: behind the letters after its last dot that two follow; 0 for none. */
function findEnd(text: string, start: number): number {
  let end = start;
  while (isIn(domain, text, end)) end++;
  for (let dot = end - 1; dot > start; dot--) {
    if (text.charCodeAt(dot) !== dotCode || !isIn(letter, text, dot + 1) || !isIn(letter, text, dot + 2)) continue;
    let last = dot + 3;
    while (isIn(letter, text, last)) last++;
    return last;
  }
  return 0;
}
