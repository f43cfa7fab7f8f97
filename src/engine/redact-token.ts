import { charClass, isIn, type CharClass } from "./char-class.ts";
import type { Tally } from "./redact-text.ts";

/** Characters of hex, base64 and base64url; `=` only pads the end. */
const body = charClass(/[\w+/-]/);
const capital = charClass(/[A-Z]/);
const small = charClass(/[a-z]/);
const digit = charClass(/\d/);

const minLength = 40;
/** Words of up to 20 letters, in one case or capitalised, and numbers of up to 4 digits, with joints between them. */
const words = /^[_+-]*(?:(?:[A-Z]?[a-z]{1,19}|[A-Z]{1,20}|\d{1,4})(?:[_+=-]+|$)){2,}$/;
/** Slugs and constants are shorter. */
const maxWordsLength = 256;
const longPart = /(?<=^|\/)[^/]{40,}/g;

/**
 * Replaces hex and base64-style tokens of 40 and more characters (spec 2.9), padding counted. What keeps ordinary text whole:
 * - `/` is base64 and divides paths too. A run with it is one token when it looks random and does not open like a path;
 *   otherwise each part between slashes is judged alone.
 * - Words joined by `-`, `_` or `+` (slugs, constants, query texts) and rules of dashes are no tokens.
 */
export function redactTokens(text: string, tally: Tally): string {
  let kept = "";
  let from = 0;
  let at = 0;
  while (at < text.length) {
    if (!isIn(body, text, at)) {
      at++;
      continue;
    }
    const start = at;
    while (isIn(body, text, at)) at++;
    const end = at + countPadding(text, at);
    if (end - start < minLength) continue;
    kept += text.slice(from, start) + redactRun(text.slice(start, end), text.charAt(start - 1), tally);
    from = at = end;
  }
  return from === 0 ? text : kept + text.slice(from);
}

/** One or two `=` are padding when nothing goes on behind them. */
function countPadding(text: string, at: number): number {
  let end = at;
  while (end < at + 3 && text[end] === "=") end++;
  return end - at > 2 || isIn(body, text, end) ? 0 : end - at;
}

function redactRun(run: string, before: string, tally: Tally): string {
  if (!run.includes("/") || (looksRandom(run) && !opensPath(run, before))) return redactPart(run, tally);
  return run.replace(longPart, (part) => redactPart(part, tally));
}

function redactPart(part: string, tally: Tally): string {
  if (isWords(part)) return part;
  tally.count++;
  return "[REDACTED_TOKEN]";
}

/** Of random base64, 41 % are capitals and as many small letters; of 40 such characters all but 1 in 900 have a digit. */
function looksRandom(run: string): boolean {
  const sample = run.slice(0, 1024);
  const least = sample.length * 0.15;
  return count(capital, sample) >= least && count(small, sample) >= least && count(digit, sample) > 0;
}

/** A path starts with a slash, or goes on behind a host or a port, and its first part is a plain word or a number. */
function opensPath(run: string, before: string): boolean {
  const isPlaced = run.startsWith("/") || before === "." || before === ":";
  return isPlaced && /^\/*(?:[A-Z]?[a-z]+|\d+)\//.test(run);
}

/** Two or more words, less than half of it digits; or no letter and no digit at all. */
function isWords(part: string): boolean {
  if (!/[A-Za-z0-9]/.test(part)) return true;
  return part.length <= maxWordsLength && words.test(part) && count(digit, part) < part.length / 2;
}

function count(set: CharClass, text: string): number {
  let found = 0;
  for (let at = 0; at < text.length; at++) if (isIn(set, text, at)) found++;
  return found;
}
