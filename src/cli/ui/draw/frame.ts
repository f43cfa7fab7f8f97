import { fitLine, type Line, lineOf, lineWidth, span } from "./line.ts";
import type { Theme } from "./theme.ts";

/** Lines around the body: header, the box's top and bottom, the line of news and the keys. */
const frameLines = 5;

export type Frame = {
  header: Line;
  /** Each is cut or filled to the box's inner width; there are exactly as many as the body has room for. */
  body: readonly Line[];
  info: Line;
  footer: Line;
};

export type Size = { columns: number; rows: number };

/** Inner size of the box that a frame draws its body in. */
export function bodySize({ columns, rows }: Size): { width: number; height: number } {
  return { width: columns - 2, height: rows - frameLines };
}

/** A whole screen: exactly as many lines as the terminal has rows, each exactly as wide as it. */
export function drawFrame({ header, body, info, footer }: Frame, size: Size, theme: Theme): Line[] {
  const { width, height } = bodySize(size);
  const { box, more } = theme;
  const fitted = (line: Line) => fitLine(line, size.columns, more);
  const edge = (left: string, right: string) => [span(left + box.across.repeat(width) + right, "dim")];
  const side = span(box.down, "dim");
  const inner = Array.from({ length: height }, (_, index): Line => {
    const line = body[index] ?? [];
    return [side, ...fitLine(line, width, more), side];
  });
  return [
    fitted(header),
    edge(box.topLeft, box.topRight),
    ...inner,
    edge(box.bottomLeft, box.bottomRight),
    fitted(info),
    fitted(footer),
  ];
}

/** A box with a title in its upper edge and, where there is room, a remark in its lower one. */
export function drawBox(title: string, lines: readonly Line[], width: number, theme: Theme, remark = ""): Line[] {
  const { box, more } = theme;
  const inner = width - 4;
  const edge = (left: string, right: string, text: string): Line => {
    const shown =
      text === "" ? [] : fitLine(lineOf(` ${text} `, "bold"), Math.min(inner, lineWidth(lineOf(text)) + 2), more);
    const rest = Math.max(0, width - 3 - lineWidth(shown));
    return [span(left + box.across, "dim"), ...shown, span(box.across.repeat(rest) + right, "dim")];
  };
  const side = (text: string) => span(text, "dim");
  return [
    edge(box.topLeft, box.topRight, title),
    ...lines.map((line) => [side(`${box.down} `), ...fitLine(line, inner, more), side(` ${box.down}`)]),
    edge(box.bottomLeft, box.bottomRight, remark),
  ];
}

/** Lays a box over the middle of a body; the rows that it covers show nothing else. */
export function overlay(
  body: readonly Line[],
  box: readonly Line[],
  { width, height }: { width: number; height: number },
) {
  const boxWidth = Math.max(...box.map(lineWidth));
  const left = Math.max(0, Math.floor((width - boxWidth) / 2));
  const top = Math.max(0, Math.floor((height - box.length) / 2));
  return Array.from({ length: height }, (_, index): Line => {
    const covering = box[index - top];
    return covering ? [{ text: " ".repeat(left) }, ...covering] : (body[index] ?? []);
  });
}

/** Breaks words into lines of so many columns; a word that is longer is cut apart. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (lineWidth(lineOf(joined)) <= width) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    let rest = word;
    while (lineWidth(lineOf(rest)) > width) {
      let cut = rest.length - 1;
      while (cut > 1 && lineWidth(lineOf(rest.slice(0, cut))) > width) cut -= 1;
      lines.push(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
    line = rest;
  }
  return line === "" ? lines : [...lines, line];
}
