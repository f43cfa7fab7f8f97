import type { Cell } from "./cell.ts";
import type { Output } from "./output.ts";
import { safeText } from "./safe-text.ts";

export type Listing<Row> = {
  /** The document of --json. */
  json: unknown;
  rows: readonly Row[];
  id: (row: Row) => string;
  /** Titles of the columns and how a row fills them. */
  columns: readonly string[];
  cells: (row: Row) => Cell[];
  /** Told to a person when there is no row. */
  empty: string;
};

/** Prints rows in whatever form the output asks for. */
export async function printListing<Row>(output: Output, listing: Listing<Row>): Promise<void> {
  const { json, rows, id, columns, cells, empty } = listing;
  if (output.format === "json") output.document(json);
  else if (output.format === "jsonl") for (const row of rows) output.document(row);
  else if (output.format === "ids") output.print(...rows.map((row) => safeText(id(row))));
  else if (rows.length === 0) output.note(empty);
  else await printTable(output, columns, rows.map(cells));
}

/** Prints rows of cells: aligned under a header for people, tab-separated for programs. */
export async function printTable(output: Output, header: readonly string[], rows: readonly Cell[][]): Promise<void> {
  if (output.format !== "table") {
    const show = ({ raw, style }: Cell) => (style ? output.paintValue(style, safeText(raw)) : safeText(raw));
    output.print(...rows.map((cells) => cells.map(show).join("\t")));
    return;
  }
  if (output.isAccessible) {
    output.print(...rows.map((cells) => cells.map((cell, at) => spoken(header[at], cell)).join(", ")));
    return;
  }
  // Loaded for people alone: measuring widths costs 25 ms.
  const { alignTable } = await import("./align-table.ts");
  const head = header.map((title): Cell => ({ raw: title, style: "bold" }));
  output.print(...alignTable(header.length > 0 ? [head, ...rows] : rows, output));
}

/** A value as one would read it aloud: behind the name of its column. */
function spoken(title: string | undefined, { raw, text }: Cell): string {
  const value = safeText(text ?? raw) || "none";
  return title === undefined ? value : `${title.toLowerCase()}: ${value}`;
}

export type Sheet = {
  json: unknown;
  /** Null when there is none to print. */
  id: string | null;
  fields: readonly (readonly [label: string, cell: Cell])[];
};

/** Prints one thing, a field a line. */
export async function printSheet(output: Output, { json, id, fields }: Sheet): Promise<void> {
  if (output.format === "json" || output.format === "jsonl") output.document(json);
  else if (output.format === "ids") output.print(...(id === null ? [] : [safeText(id)]));
  else {
    const rows = fields.map(([label, cell]): Cell[] => [{ raw: label, style: "dim" }, cell]);
    // A field is never cut: it may be what one came for.
    await printTable({ ...output, width: Number.POSITIVE_INFINITY }, [], rows);
  }
}
