/**
 * The known name that was probably meant, or null when none is near: a typo away, else begun by it (`bool`). Case and
 * the separators `_` and `-` do not count, so that `max_retries` finds `maxRetries`; of equally near names the first wins.
 */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const names = [...known];
  return (
    typoOf(name, names) ??
    (name.length < 3 ? null : (names.find((other) => fold(other).startsWith(fold(name))) ?? null))
  );
}

function typoOf(name: string, known: readonly string[]): string | null {
  const wanted = fold(name);
  // One slip in three letters is a typo; more is another word.
  const limit = Math.min(3, Math.max(1, Math.floor(wanted.length / 3)));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    const folded = fold(candidate);
    if (Math.abs(folded.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, folded);
    if (distance >= bestDistance || distance >= folded.length) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** The end of a message about an unknown name: a suggestion, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === null ? "" : `; did you mean ${nearest}?`;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

/** Damerau–Levenshtein: insertions, deletions, substitutions and swaps of neighbours cost one each. */
function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(beforeLast, column - 2) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

/** Infinity outside the table, where no way leads. */
function at(distances: readonly number[], column: number): number {
  return distances[column] ?? Infinity;
}
