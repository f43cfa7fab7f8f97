import type { Style } from "../../colour.ts";
import { fitText, type Line, type Span, span } from "./line.ts";
import type { Theme } from "./theme.ts";

export type Column<Row> = {
  title: string;
  /** Columns of the terminal: at least, and at most where there is room. */
  min: number;
  max?: number;
  align?: "left" | "right";
  /** In a narrow terminal columns go, the highest number first; 0 stays. */
  drop?: number;
  cell: (row: Row) => { text: string; style?: Style | undefined };
};

const gap = 2;

type Placed<Row> = { column: Column<Row>; width: number };

/** Which columns fit into a width, and how wide each is: the last ones to go keep their least, spare room is shared. */
export function placeColumns<Row>(columns: readonly Column<Row>[], width: number): Placed<Row>[] {
  let kept = [...columns];
  const least = () => kept.reduce((sum, { min }) => sum + min + gap, -gap);
  while (least() > width) {
    const next = kept.reduce((worst, column) => ((column.drop ?? 0) > (worst.drop ?? 0) ? column : worst));
    if (!next.drop) break;
    kept = kept.filter((column) => column !== next);
  }
  let spare = Math.max(0, width - least());
  const growing = kept.filter(({ min, max = min }) => max > min);
  const grown = new Map<Column<Row>, number>();
  for (const [index, column] of growing.entries()) {
    const share = Math.floor(spare / (growing.length - index));
    const more = Math.min(share, (column.max ?? column.min) - column.min);
    grown.set(column, more);
    spare -= more;
  }
  return kept.map((column) => ({ column, width: column.min + (grown.get(column) ?? 0) }));
}

/** Titles of the columns, behind the place of the marker. */
export function drawTitles<Row>(placed: readonly Placed<Row>[], { more }: Theme): Line {
  const titles = placed.map(({ column, width }) => fitText(column.title, width, more, column.align));
  return [span(` ${titles.join(" ".repeat(gap))}`, "dim")];
}

/** One row: aligned cells, and before them a marker where it is selected. */
export function drawRow<Row>(placed: readonly Placed<Row>[], row: Row, isSelected: boolean, theme: Theme): Line {
  const cells = placed.flatMap(({ column, width }, index): Span[] => {
    const { text, style } = column.cell(row);
    const fitted = fitText(span(text).text, width, theme.more, column.align);
    const padded = index === placed.length - 1 ? fitted : fitted + " ".repeat(gap);
    return [{ text: padded, style, isBold: isSelected }];
  });
  const marker: Span = isSelected ? { text: theme.marker, style: "cyan", isBold: true } : { text: " " };
  return [marker, ...cells];
}

/** A row in words, for screen readers: each cell by its title. */
export function speakRow<Row>(columns: readonly Column<Row>[], row: Row): string {
  const said = columns.flatMap(({ title, cell }) => {
    const { text } = cell(row);
    return text.trim() === "" || text.trim() === "-" ? [] : [`${title.toLowerCase()} ${text.trim()}`];
  });
  return said.join(", ");
}
