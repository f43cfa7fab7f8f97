import type { Tally } from "./redact-text.ts";

/**
 * Characters of hex, base64 and base64url, with up to two `=` of padding where nothing goes on behind them.
 * The look-behind tries each run once alone: without it a text of runs that are too short takes 38 times as long.
 * And `{38}` with `*` instead of `{38,}`: an open count overflows the engine's stack on texts of some 10 MiB.
 */
const runs = /(?<![\w+/-])[\w+/-]{38}[\w+/-]*(?:={1,2}(?![\w+/=-]))?/g;

const minLength = 40;
/** Words of up to 20 letters, in one case or capitalised, and numbers of up to 4 digits, with joints between them. */
const words = /^[_+-]*(?:(?:[A-Z]?[a-z]{1,19}|[A-Z]{1,20}|\d{1,4})(?:[_+=-]+|$)){2,}$/;
/** Slugs and constants are shorter. */
const maxWordsLength = 256;
const longPart = /(?<=^|\/)[^/]{40}[^/]*/g;

/**
 * Replaces hex and base64-style tokens of 40 and more characters (spec 2.9), padding counted. What keeps ordinary text whole:
 * - `/` is base64 and divides paths too. A run with it is one token when it looks random and does not open like a path;
 *   otherwise each part between slashes is judged alone.
 * - Words joined by `-`, `_` or `+` (slugs, constants, query texts) and rules of dashes are no tokens.
 */
export function redactTokens(text: string, tally: Tally): string {
  return text.replace(runs, (run, at: number) =>
    run.length < minLength ? run : redactRun(run, text.charAt(at - 1), tally),
  );
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
  return count(/[A-Z]+/g, sample) >= least && count(/[a-z]+/g, sample) >= least && count(/\d+/g, sample) > 0;
}

/** A path starts with a slash, or goes on behind a host or a port, and its first part is a plain word or a number. */
function opensPath(run: string, before: string): boolean {
  const isPlaced = run.startsWith("/") || before === "." || before === ":";
  return isPlaced && /^\/*(?:[A-Z]?[a-z]+|\d+)\//.test(run);
}

/** Two or more words, less than half of it digits; or no letter and no digit at all. */
function isWords(part: string): boolean {
  if (!/[A-Za-z0-9]/.test(part)) return true;
  return part.length <= maxWordsLength && words.test(part) && count(/\d+/g, part) < part.length / 2;
}

/** Characters of the text that the pattern, a class with `+`, matches. */
function count(runsOfClass: RegExp, text: string): number {
  return text.length - text.replace(runsOfClass, "").length;
}
