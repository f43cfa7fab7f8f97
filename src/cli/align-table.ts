import stringWidth from "string-width";
import type { Cell } from "./cell.ts";
import type { Output } from "./output.ts";
import { safeText } from "./safe-text.ts";

type Look = Pick<Output, "paint" | "width" | "isUnicode">;

const gap = "  ";

/**
 * Lines of a table, each column as wide as its widest cell; an empty cell shows as `-`. What doesn't fit the terminal is
 * cut from the last column.
 */
export function alignTable(rows: readonly (readonly Cell[])[], { paint, width, isUnicode }: Look): string[] {
  const texts = rows.map((cells) => cells.map(({ raw, text }) => safeText(text ?? raw) || "-"));
  const last = Math.max(...rows.map((cells) => cells.length)) - 1;
  const widths = Array.from({ length: last }, (_, column) =>
    Math.max(...texts.map((cells) => stringWidth(cells[column] ?? ""))),
  );
  const room = width - widths.reduce((sum, each) => sum + each + gap.length, 0);
  return rows.map((cells, row) => {
    const shown = cells.map(({ style }, column) => {
      const whole = texts[row]?.[column] ?? "";
      const text = column === last ? cutToWidth(whole, Math.max(room, 10), isUnicode ? "…" : "...") : whole;
      const padding = column === cells.length - 1 ? 0 : (widths[column] ?? 0) - stringWidth(text);
      return (style ? paint(style, text) : text) + " ".repeat(padding);
    });
    return shown.join(gap);
  });
}

/** The text, or as much of it as fits with a sign that something is missing. */
export function cutToWidth(text: string, width: number, sign: string): string {
  if (stringWidth(text) <= width) return text;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment + sign) > width) break;
    cut += segment;
  }
  return cut + sign;
}
