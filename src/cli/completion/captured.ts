/** What tab writes to the console while `run` is at work: it has no other way to give it. */
export function captured(run: () => void): string[] {
  const lines: string[] = [];
  const { log } = console;
  console.log = (text: string) => void lines.push(text);
  try {
    run();
  } finally {
    console.log = log;
  }
  return lines;
}
