import type { EventPage, JournalEvent } from "../../contract/journal.ts";
import type { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import { followRun } from "../event-stream.ts";
import { findRunId, runPath, runArgument } from "../find-run.ts";
import { journalLine } from "../journal-line.ts";
import { flag, value, wholeNumber } from "../option.ts";
import type { Output } from "../output.ts";

const pageSize = 1000;

export const runsJournal = defineCommand({
  name: "journal",
  summary: "print a run's journal, an event a line",
  arguments: { run: runArgument },
  options: {
    follow: flag("go on printing events until the run has ended", "-f"),
    after: value("SEQ", "begin after this event (0)", { parse: wholeNumber(0) }),
  },
  examples: ["runs journal RUN", "runs journal RUN --follow", "runs journal RUN --jsonl"],
  async action(context, { run, follow, after = 0 }) {
    const { output } = context;
    const client = await context.runtime();
    const id = await findRunId(client, run);
    const events = follow ? followEvents(client, id, after) : readEvents(client, id, after);
    if (output.format !== "json") {
      for await (const event of events) printEvent(output, event);
      return;
    }
    const all = await Array.fromAsync(events);
    output.document({ events: all, next_after: all.at(-1)?.seq ?? after } satisfies EventPage);
  },
});

/** Prints one event in whatever form the output asks for. */
export function printEvent(output: Output, event: JournalEvent): void {
  if (output.format === "jsonl") output.document(event);
  else if (output.format === "ids") output.print(String(event.seq));
  else output.print(journalLine(event, output));
}

async function* readEvents(client: Client, runId: string, after: number): AsyncGenerator<JournalEvent> {
  for (let seq = after; ;) {
    const page = await client.get<EventPage>(`${runPath(runId)}/events`, { after: seq, limit: pageSize });
    yield* page.events;
    if (page.events.length < pageSize) return;
    seq = page.next_after;
  }
}

async function* followEvents(client: Client, runId: string, after: number): AsyncGenerator<JournalEvent> {
  for await (const change of followRun(client, runId, { after })) {
    if (change.kind === "event") yield change.event;
  }
}
