import { diff } from "node:util";
import type { Paint } from "./colour.ts";

/**
 * The lines that go (-) and come (+) between two texts, with so many lines around them that stay; longer stretches are
 * cut. None when nothing differs. The lines have to be safe for a terminal already.
 */
export function showDiff(before: readonly string[], after: readonly string[], paint: Paint, around: number): string[] {
  const lines = diff([...after], [...before]).map(([kind, text]) => ({ kind, text }));
  const isNear = (at: number) => lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== 0);
  const shown: string[] = [];
  // Within one change what goes stands before what comes.
  const coming: string[] = [];
  let isCut = false;
  for (const [at, { kind, text }] of lines.entries()) {
    if (kind === 0) shown.push(...coming.splice(0));
    if (!isNear(at)) {
      isCut = true;
      continue;
    }
    if (isCut) shown.push(paint("dim", "  …"));
    isCut = false;
    if (kind > 0) coming.push(paint("green", `+ ${text}`));
    else shown.push(kind === 0 ? `  ${text}` : paint("red", `- ${text}`));
  }
  shown.push(...coming);
  return isCut && shown.length > 0 ? [...shown, paint("dim", "  …")] : shown;
}
