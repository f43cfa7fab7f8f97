import type { Services } from "../../engine/services.ts";
import { type Timeline, createTimeline } from "../../engine/graph/timeline.ts";
import type { RunRecord } from "../../store/store.ts";

const pageSize = 500;

/** Pages that are read in one turn, some five milliseconds of work; then others have theirs. */
const pagesATurn = 4;

/**
 * Reads a run's steps out of its journal, page by page, and keeps the last `keep` of them. A long journal takes many turns
 * of the event loop, so that several who read one don't hold up everybody else.
 */
export async function readTimeline(
  { store, versions, world }: Services,
  run: RunRecord,
  keep: number,
): Promise<Timeline> {
  const { graph } = await versions.load(run.versionId);
  const timeline = createTimeline((id) => {
    const node = graph.byId.get(id);
    return { type: node?.type.type ?? "unknown", name: node?.name ?? null };
  }, keep);
  let after = 0;
  for (let pages = 1; after < run.seq; pages += 1) {
    const events = await store.readJournal(run.id, after, pageSize);
    for (const event of events) timeline.add(event);
    const last = events.at(-1);
    // Retention may have deleted a journal while its run is kept.
    if (!last) break;
    after = last.seq;
    if (pages % pagesATurn === 0) await world.yieldTurn();
  }
  return timeline;
}
