import type { EventBatch, EventsTaken, NewRun, TakenEvent } from "../store.ts";
import type { RunInsert } from "./create-run.ts";
import type { EventAnswer, EventInsert } from "./event-writes.ts";
import { newRunRecord } from "./run-row.ts";

/** A batch as it crosses to the writer. */
export function encodeEvents(
  { events, limitErrors, poll, ...batch }: EventBatch,
  encodeRun: (run: NewRun) => RunInsert,
): EventInsert {
  return {
    ...batch,
    events: events.map(({ digest, run }) => ({ digest, run: run && encodeRun(run) })),
    limitErrors: {
      hourly_cap: JSON.stringify(limitErrors.hourly_cap),
      monthly_quota: JSON.stringify(limitErrors.monthly_quota),
    },
    ...(poll && { poll: { ...poll, cursor: JSON.stringify(poll.cursor) } }),
  };
}

/** The answer with the records of the runs that were started. */
export function presentTaken(answer: EventAnswer, { events }: EventBatch): EventsTaken {
  if (answer.kind === "stale") return answer;
  const taken = answer.events.flatMap((row, at): TakenEvent[] => {
    if (row.kind === "seen") return [row];
    const run = events[at]?.run;
    // The writer starts the runs that it was given.
    return run ? [{ kind: row.kind, run: newRunRecord(run) }] : [];
  });
  return { ...answer, events: taken };
}
