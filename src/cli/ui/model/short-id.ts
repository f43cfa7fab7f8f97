const shown = 8;
const typed = 4;

/** How much of the short id a person types to decide: its beginning, or all of it (`ui.confirm_approval`). */
export type ConfirmBy = "id-prefix" | "id";

/**
 * How people tell runs apart: the last 8 characters of the id. The first ones are its time (UUIDv7): those of runs that
 * were started within a minute are the same.
 */
export function shortId(runId: string): string {
  return runId.slice(-shown);
}

/** What has to be typed to decide on a run. */
export function confirmation(runId: string, by: ConfirmBy): string {
  return by === "id" ? shortId(runId) : shortId(runId).slice(0, typed);
}
