import type { Json } from "../../src/contract/json.ts";
import { isTerminal } from "../../src/contract/run.ts";
import type { WorkflowDefinition } from "../../src/contract/workflow.ts";
import { compileGraph } from "../../src/engine/graph/graph.ts";
import { nodes } from "../../src/nodes/index.ts";
import type { EventRecord, RunRecord } from "../../src/store/store.ts";
import { simulateRun } from "./simulate-run.ts";

/** What a history was made of, before anything went wrong. */
export type Undisturbed = { definition: WorkflowDefinition; input: { [key: string]: Json } };

/** Events that end a step. */
export const ends: ReadonlySet<EventRecord["type"]> = new Set([
  "step_completed",
  "step_failed",
  "step_failed_continued",
  "step_skipped",
  "step_timed_out",
]);

/** The step of an event, with its iteration. */
export function keyOf({ stepId, iteration }: EventRecord): string {
  return `${stepId}[${iteration?.join(",") ?? ""}]`;
}

/**
 * Promises that a run at its end has broken, in words. Where nothing failed but the daemon, it has to have ended as it does
 * undisturbed; null where something did. `output` is the true one.
 */
export function findBroken(
  run: RunRecord,
  events: readonly EventRecord[],
  output: Json | undefined,
  undisturbed: Undisturbed | null,
): string[] {
  const broken = doubleEnds(events);
  if (!isTerminal(run.status)) broken.push(`the run is still ${run.status}`);
  if (events.length !== run.seq) broken.push(`${events.length} events, and the run's last is ${run.seq}`);
  if (JSON.stringify([events, run]).includes("@example.com")) broken.push("an address was stored as it is");
  const isInDoubt = events.some(({ error }) => error?.details?.["in_doubt"] === true);
  return undisturbed && !isInDoubt ? [...broken, ...differences(run, output, undisturbed)] : broken;
}

/** A step ends once, and nothing comes after it. */
function doubleEnds(events: readonly EventRecord[]): string[] {
  const broken: string[] = [];
  const ended = new Map<string, EventRecord["type"]>();
  for (const event of events) {
    const key = keyOf(event);
    if (ended.has(key)) broken.push(`${event.type} of ${key} after its ${ended.get(key)}`);
    if (ends.has(event.type)) ended.set(key, event.type);
  }
  return broken;
}

function differences({ status }: RunRecord, output: Json | undefined, { definition, input }: Undisturbed): string[] {
  const expected = simulateRun(compileGraph(definition, nodes), input, () => 0).end;
  if (status !== expected.status) return [`it ${status}, and undisturbed it ${expected.status}`];
  const [got, want] = [output, expected.status === "succeeded" ? expected.output : null].map((each) =>
    JSON.stringify(each),
  );
  return got === want ? [] : [`its output is ${got}, undisturbed ${want}`];
}
