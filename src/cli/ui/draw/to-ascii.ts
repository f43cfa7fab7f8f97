import { type Line, textWidth } from "./line.ts";

/** Signs of our own texts, by what stands for them in a terminal that shows no more than ASCII. */
const stands: Readonly<Record<string, string>> = {
  "·": "-",
  "…": "~",
  "×": "x",
  "•": "*",
  "↑": "^",
  "↓": "v",
  "⏎": ">",
};

/** The line in ASCII alone, as wide as before: what has no stand-in is a question mark. */
export function toAscii(line: Line): Line {
  return line.map((piece) => ({ ...piece, text: replaceSigns(piece.text) }));
}

function replaceSigns(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return [...new Intl.Segmenter().segment(text)]
    .map(({ segment }) => {
      if (/^[\x20-\x7e]+$/.test(segment)) return segment;
      return stands[segment] ?? "?".repeat(textWidth(segment));
    })
    .join("");
}
