/** A place in a text, both counted from 1; columns are UTF-16 units, as editors count them. */
export type TextPosition = { line: number; column: number };

/** Turns offsets of a text into lines and columns; the text is scanned once. */
export function positionsOf(text: string): (offset: number) => TextPosition {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    // The last line that starts at or before the offset.
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
