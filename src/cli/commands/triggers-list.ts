import type { TriggerList } from "../../contract/trigger.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { printListing } from "../print.ts";
import { triggerStatusCell } from "../trigger.ts";

export const triggersList = defineCommand({
  name: "list",
  summary: "list what starts event-driven workflows",
  examples: ["triggers list", "triggers list --json"],
  async action({ control, output }) {
    const client = await control();
    const list = await client.get<TriggerList>("/control/triggers");
    await printListing(output, {
      json: list,
      rows: list.triggers,
      id: (trigger) => trigger.subscription_id,
      columns: ["WORKFLOW", "KIND", "STATUS", "NEXT", "ERROR", "ID"],
      cells: (trigger) => [
        textCell(trigger.workflow_name, "bold"),
        textCell(trigger.kind),
        triggerStatusCell(trigger),
        timeCell(trigger.next_fire_at ?? trigger.feed?.next_poll_at ?? null, output.now),
        textCell(trigger.feed?.last_error?.code ?? "", "red"),
        textCell(trigger.subscription_id),
      ],
      empty: "No event-driven workflow is published.",
    });
  },
});
