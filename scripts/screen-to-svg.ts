import stringWidth from "string-width";

const cell = { width: 8.43, height: 16.4, font: 14 };
const margin = 14;
const paper = "#11151c";
const ink = "#d7dce5";

/** The colours that the terminal UI uses, by their SGR codes. */
const colours: Readonly<Record<number, string>> = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  35: "#d2a8ff",
  36: "#56d4dd",
};

type Look = { colour: string; isBold: boolean; isDim: boolean };
type Piece = Look & { text: string; column: number };

const plain: Look = { colour: ink, isBold: false, isDim: false };

/** A terminal's screen with its escape sequences of colour (`tmux capture-pane -e`) as a picture. */
export function screenToSvg(
  screen: string,
  { columns, rows }: { columns: number; rows: number },
  title: string,
): string {
  const width = Math.ceil(columns * cell.width + 2 * margin);
  const height = Math.ceil(rows * cell.height + 2 * margin);
  const lines = screen.split("\n").slice(0, rows);
  const drawn = readLines(lines).flatMap((pieces, row) => pieces.map((piece) => drawPiece(piece, row)));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
<title>${escapeXml(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${paper}"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${cell.font}" xml:space="preserve">
${drawn.join("\n")}
</g>
</svg>
`;
}

function drawPiece({ text, column, colour, isBold, isDim }: Piece, row: number): string {
  const x = (margin + column * cell.width).toFixed(1);
  const y = (margin + row * cell.height + 13).toFixed(1);
  // Every piece is pressed into its columns, whatever font a reader has.
  const length = (stringWidth(text) * cell.width).toFixed(1);
  const looks = `${isBold ? ' font-weight="bold"' : ""}${isDim ? ' opacity="0.6"' : ""}`;
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${colour}"${looks}>${escapeXml(text)}</text>`;
}

/** Takes the lines apart into pieces of one look; a look lasts beyond the end of its line. */
function readLines(lines: readonly string[]): Piece[][] {
  let look = plain;
  return lines.map((line) => {
    const pieces: Piece[] = [];
    let column = 0;
    // oxlint-disable-next-line no-control-regex -- the escape sequences are what is read here
    for (const { groups } of line.matchAll(/\u001b\[(?<codes>[\d;]*)m|(?<text>[^\u001b]+)|\u001b./gu)) {
      if (groups?.["codes"] !== undefined) look = applyCodes(look, groups["codes"]);
      for (const text of wordsOf(groups?.["text"] ?? "")) {
        if (text.trim() !== "") pieces.push({ ...look, text, column });
        column += stringWidth(text);
      }
    }
    return pieces;
  });
}

/** Blanks apart from what they part, so that only what can be seen is drawn. */
function wordsOf(text: string): string[] {
  return text.split(/( {2,})/).filter((part) => part !== "");
}

function applyCodes(look: Look, codes: string): Look {
  return codes.split(";").map(Number).reduce(applyCode, look);
}

function applyCode(look: Look, code: number): Look {
  if (code === 0) return plain;
  if (code === 1) return { ...look, isBold: true };
  if (code === 2) return { ...look, isDim: true };
  if (code === 22) return { ...look, isBold: false, isDim: false };
  if (code === 39) return { ...look, colour: ink };
  const colour = colours[code];
  return colour === undefined ? look : { ...look, colour };
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
