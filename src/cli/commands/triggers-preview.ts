import { maxPreview, type SchedulePreview } from "../../contract/schedule.ts";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { argument, value, wholeNumber } from "../option.ts";
import { printListing } from "../print.ts";
import { safeText } from "../safe-text.ts";

export const triggersPreview = defineCommand({
  name: "preview",
  summary: "show when a schedule fires next",
  arguments: { trigger: argument("id of the trigger, or of its workflow, or its name") },
  options: { count: value("N", "how many firings (5)", { parse: wholeNumber(1, maxPreview) }) },
  examples: ["triggers preview ID", "triggers preview ID --count 20 --json"],
  async action({ control, output }, { trigger: id, count }) {
    const client = await control();
    const path = `/control/triggers/${encodeURIComponent(id)}/preview`;
    const preview = await client.get<SchedulePreview>(path, { count });
    await printListing(output, {
      json: preview,
      rows: preview.next,
      id: (at) => at,
      columns: ["FIRES", `IN ${safeText(preview.timezone)}`],
      cells: (at) => [textCell(at), textCell(inZone(at, preview.timezone))],
      empty: "It does not fire any more.",
    });
  },
});

/** The moment as a clock on the wall of the zone shows it. */
function inZone(at: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "medium", timeStyle: "short", hour12: false });
  return `${new Intl.DateTimeFormat("en", { timeZone, weekday: "short" }).format(new Date(at))} ${format.format(new Date(at))}`;
}
