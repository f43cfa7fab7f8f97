const shown = 8;
const typed = 4;

/**
 * How people tell runs apart: the last 8 characters of the id. The first ones are its time (UUIDv7): those of runs that
 * were started within a minute are the same.
 */
export function shortId(runId: string): string {
  return runId.slice(-shown);
}

/** What has to be typed to decide on a run: the first characters of its short id. */
export function confirmation(runId: string): string {
  return shortId(runId).slice(0, typed);
}
