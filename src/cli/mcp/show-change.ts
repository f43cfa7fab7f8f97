/** The lines that a change to a text took out and put in, marked - and +, between the lines that stayed. */
export function showChange(before: string, after: string): string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const taken = old.slice(start, old.length - end).filter((line) => before !== "" || line !== "");
  return [...taken.map((line) => `- ${line}`), ...now.slice(start, now.length - end).map((line) => `+ ${line}`)];
}
