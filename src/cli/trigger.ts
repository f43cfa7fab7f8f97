import type { TriggerBody, TriggerDetail } from "../contract/trigger.ts";
import { type Cell, textCell, timeCell } from "./cell.ts";
import { argument } from "./option.ts";
import type { Output } from "./output.ts";
import { printSheet } from "./print.ts";

/** How people name a trigger. */
export const triggerArgument = argument("id of the trigger, or of its workflow, or its name");

/** Where the daemon serves the trigger of a reference. */
export function triggerPath(reference: string): string {
  return `/control/triggers/${encodeURIComponent(reference)}`;
}

export function triggerStatusCell({ status }: TriggerBody): Cell {
  return { raw: status, style: status === "active" ? "green" : "yellow" };
}

/** How the events of a connector's trigger come. */
function feedFields({ feed }: TriggerBody, now: Output["now"]): (readonly [string, Cell])[] {
  if (!feed) return [];
  const every = feed.every_seconds === null ? "" : `, every ${feed.every_seconds} s`;
  const { last_error: error } = feed;
  return [
    ["event", textCell(`${feed.connector} ${feed.event}`)],
    ["mode", textCell(feed.mode === null ? "" : `${feed.mode}${every}`)],
    ["last poll", timeCell(feed.last_poll_at, now)],
    ...(error ? [["last error", textCell(`${error.code}: ${error.message}`, "red")] as const] : []),
    ["cursor", textCell(feed.cursor === null ? "" : JSON.stringify(feed.cursor))],
  ];
}

export async function printTrigger(output: Output, trigger: TriggerDetail): Promise<void> {
  const { secrets } = trigger;
  await printSheet(output, {
    json: trigger,
    id: trigger.subscription_id,
    fields: [
      ["id", textCell(trigger.subscription_id)],
      ["workflow", textCell(trigger.workflow_name, "bold")],
      ["kind", textCell(trigger.kind)],
      ["status", triggerStatusCell(trigger)],
      ["version", textCell(trigger.version)],
      ["url", textCell(trigger.url)],
      ["answers", textCell(trigger.respond_mode)],
      ["secrets", secrets === null ? textCell("missing: every request is refused", "red") : textCell(secrets)],
      ["next", timeCell(trigger.next_fire_at ?? trigger.feed?.next_poll_at ?? null, output.now)],
      ...feedFields(trigger, output.now),
      ["runs of", textCell(trigger.user_id)],
    ],
  });
}
