import * as z from "zod";
import { eventPage } from "../../contract/journal.ts";
import { presentEvent } from "../../engine/presentation/present-run.ts";
import { defineOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";
import { followRun } from "./follow-run.ts";
import { requireRun } from "./require-run.ts";

export const getRunEvents = defineOperation({
  name: "getRunEvents",
  tool: {
    name: "get_run_events",
    description:
      "Returns a run's journal, oldest event first: each step's start, end, input, output and error. Use it to find out " +
      "what a run did or why it failed. `next_after` as the next call's `after` gives the events that follow. run_action " +
      "and list_runs give the run_id.",
    hints: readsOnly,
  },
  title: "Read a run's journal",
  description:
    "Returns the journal events after `after`, oldest first; go on with `after` = `next_after`. A caller that accepts " +
    "text/event-stream gets them as they are written, and the run's status changes as `run` events, until the run ends.",
  route: ["GET", "/runs/:run_id/events", 200],
  scope: "runs:read",
  input: z.object({
    run_id: z.string().meta({ description: "The run's id", format: "uuid" }),
    after: z.int().min(0).default(0).describe("Number of the last event that is known already"),
    limit: z.int().min(1).max(1000).default(100).describe("Events of a page; a stream has no such bound"),
  }),
  output: eventPage,
  async handle({ services, caller }, { run_id: runId, after, limit }) {
    const run = await requireRun(services, caller.workspaceId, runId);
    const events = await services.store.readJournal(run.id, after, limit);
    return { events: events.map((event) => presentEvent(run.id, event)), next_after: events.at(-1)?.seq ?? after };
  },
  async stream({ services, caller, hold }, { run_id: runId, after }) {
    const run = await requireRun(services, caller.workspaceId, runId);
    const held = hold("stream");
    return { events: followRun(services.store, run, after, held.signal), hold: held };
  },
});
