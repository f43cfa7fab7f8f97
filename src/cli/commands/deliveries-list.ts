import type { DeliveryList } from "../../contract/trigger.ts";
import { defineCommand } from "../command.ts";
import { deliveryCells, deliveryColumns } from "../delivery.ts";
import { value, wholeNumber } from "../option.ts";
import { printListing } from "../print.ts";

export const deliveriesList = defineCommand({
  name: "list",
  summary: "list the requests that came to webhooks, the newest first; with --json also their bodies",
  options: {
    trigger: value("ID", "only those to this trigger: its id, or its workflow's id or name"),
    limit: value("N", "how many (50)", { parse: wholeNumber(1, 1000) }),
    before: value("ID", "only those before this delivery"),
  },
  examples: ["deliveries list", 'deliveries list --trigger "On order" --json'],
  async action({ control, output }, { trigger, limit, before }) {
    const client = await control();
    const list = await client.get<DeliveryList>("/control/deliveries", { trigger, limit, before });
    await printListing(output, {
      json: list,
      rows: list.deliveries,
      id: (delivery) => delivery.id,
      columns: deliveryColumns,
      cells: (delivery) => deliveryCells(delivery, output),
      empty: "No deliveries.",
    });
  },
});
