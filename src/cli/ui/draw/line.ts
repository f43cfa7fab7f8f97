import stringWidth from "string-width";
import type { Style } from "../../colour.ts";
import { safeText } from "../../safe-text.ts";

/** A piece of a line in one look. */
export type Span = { text: string; style?: Style | undefined; isBold?: boolean };

/** One line of the screen. */
export type Line = readonly Span[];

const printable = /^[\x20-\x7e]*$/;

/** A piece of text from anywhere: what steers a terminal is written out. */
export function span(text: string, style?: Style): Span {
  return { text: printable.test(text) ? text : safeText(text), style };
}

/** A line of plain text. */
export function lineOf(text: string, style?: Style): Line {
  return [span(text, style)];
}

/** Columns that a text takes. */
export function textWidth(text: string): number {
  return printable.test(text) ? text.length : stringWidth(text);
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + textWidth(text), 0);
}

/** The text, or as much of it as fits into so many columns, with a sign that something is missing. */
function cutText(text: string, width: number, sign: string): string {
  if (textWidth(text) <= width) return text;
  if (width < textWidth(sign)) return "";
  const room = width - textWidth(sign);
  if (printable.test(text)) return text.slice(0, room) + sign;
  let cut = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += textWidth(segment);
    if (used > room) break;
    cut += segment;
  }
  return cut + sign;
}

/** The text in exactly so many columns. */
export function fitText(text: string, width: number, sign: string, align: "left" | "right" = "left"): string {
  const cut = cutText(text, width, sign);
  const padding = " ".repeat(Math.max(0, width - textWidth(cut)));
  return align === "left" ? cut + padding : padding + cut;
}

/** The line in exactly so many columns. */
export function fitLine(line: Line, width: number, sign: string): Line {
  const fitted: Span[] = [];
  let room = width;
  for (const piece of line) {
    const text = cutText(piece.text, room, sign);
    if (text !== "") fitted.push({ ...piece, text });
    room -= textWidth(text);
    if (text !== piece.text) break;
  }
  return room > 0 ? [...fitted, { text: " ".repeat(room) }] : fitted;
}

/** Two lines at both ends of one of so many columns; where they do not fit, the left one is cut, short of the right. */
export function spread(left: Line, right: Line, width: number, sign: string): Line {
  const room = width - lineWidth(right);
  if (room < 1) return fitLine(left, width, sign);
  if (lineWidth(left) <= room || right.length === 0) return [...fitLine(left, room, sign), ...right];
  return [...fitLine(left, room - 1, sign), span(" "), ...right];
}

export function lineText(line: Line): string {
  return line.map(({ text }) => text).join("");
}
