// The figures of a benchmark, and how it tells them.

/** The value that so large a share of the others does not exceed; NaN where there is none. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** What a figure is held to, in its own unit. */
export type Goal = { most: number } | { least: number };

/**
 * Prints a figure and, where it has a goal, whether that is kept. A goal that is not is told and no error: machines differ,
 * and one figure alone proves little.
 */
export function report(what: string, figure: number, unit: string, goal?: Goal): void {
  const verdict = goal === undefined ? "" : `  ${verdictOf(figure, goal, unit)}`;
  console.log(`${what.padEnd(46)}${figure.toFixed(2).padStart(9)} ${unit}${verdict}`);
}

function verdictOf(figure: number, goal: Goal, unit: string): string {
  const isKept = "most" in goal ? figure <= goal.most : figure >= goal.least;
  const bound = "most" in goal ? `${goal.most} ${unit} or less` : `${goal.least} ${unit} or more`;
  return `goal ${bound}: ${isKept ? "kept" : "NOT KEPT"}`;
}
