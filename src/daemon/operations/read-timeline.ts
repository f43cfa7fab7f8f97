import type { Services } from "../../engine/services.ts";
import { type Timeline, createTimeline } from "../../engine/graph/timeline.ts";
import type { RunRecord } from "../../store/store.ts";

const pageSize = 500;

/** Reads a run's steps out of its journal, page by page, and keeps the last `keep` of them. */
export async function readTimeline({ store, versions }: Services, run: RunRecord, keep: number): Promise<Timeline> {
  const { graph } = await versions.load(run.versionId);
  const timeline = createTimeline((id) => {
    const node = graph.byId.get(id);
    return { type: node?.type.type ?? "unknown", name: node?.name ?? null };
  }, keep);
  let after = 0;
  while (after < run.seq) {
    const events = await store.readJournal(run.id, after, pageSize);
    for (const event of events) timeline.add(event);
    const last = events.at(-1);
    // Retention may have deleted a journal while its run is kept.
    if (!last) break;
    after = last.seq;
  }
  return timeline;
}
