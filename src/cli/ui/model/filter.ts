import type { WatchedRun } from "../../../contract/run-watch.ts";
import { parseMoment } from "../../parse-duration.ts";

/** A filter as it was typed, read: what a run has to have. */
export type RunFilter = {
  words: readonly string[];
  status: string | null;
  slug: string | null;
  source: string | null;
  /** Epoch milliseconds. */
  since: number | null;
};

const fields = ["status", "slug", "source", "since"] as const;
type Field = (typeof fields)[number];

/** Reads `status:failed slug:crm since:1h order`; what is not understood counts as a word to look for. */
export function parseFilter(text: string, now: Date): RunFilter {
  const filter: RunFilter & { words: string[] } = { words: [], status: null, slug: null, source: null, since: null };
  for (const part of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    const [name = "", value = ""] = part.split(/:(.*)/s, 2);
    const field = fields.find((known) => known === name);
    if (field === undefined || !part.includes(":")) filter.words.push(part);
    else if (value !== "") setField(filter, field, value, now);
  }
  return filter;
}

function setField(filter: RunFilter & { words: string[] }, field: Field, value: string, now: Date): void {
  if (field !== "since") {
    filter[field] = value;
    return;
  }
  try {
    filter.since = parseMoment(value, now, "ago").getTime();
  } catch {
    // Half typed: the filter is live, so this is no error yet.
    filter.since = null;
  }
}

/** Whether a run has all that a filter asks for. A status or a source may be begun: `status:suc`. */
export function matchesFilter(run: WatchedRun, filter: RunFilter): boolean {
  const { status, slug, source, since, words } = filter;
  if (status !== null && !statusNames(run).some((name) => name.startsWith(status))) return false;
  if (slug !== null && !(run.action_slug ?? "").includes(slug)) return false;
  if (source !== null && !run.source.startsWith(source)) return false;
  if (since !== null && Date.parse(run.created_at) < since) return false;
  const text =
    `${run.run_id} ${run.action_slug ?? ""} ${run.status} ${run.source} ${run.error_code ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** A status may be named as the list shows it, too. */
function statusNames({ status }: WatchedRun): string[] {
  const shown: Partial<Record<WatchedRun["status"], string[]>> = {
    waiting_for_approval: ["approval", "needs_approval"],
    accepted: ["queued"],
  };
  return [status, status.replaceAll("_", ""), ...(shown[status] ?? [])];
}
