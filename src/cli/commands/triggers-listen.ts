import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryBody, DeliveryList } from "../../contract/trigger.ts";
import type { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import { optionalArgument } from "../option.ts";
import type { Output } from "../output.ts";
import { safeText } from "../safe-text.ts";
import { showClock } from "../show-time.ts";

/** How often new deliveries are looked for, and how many there may be in between. */
const everyMs = 500;
const pageSize = 200;

export const triggersListen = defineCommand({
  name: "listen",
  summary: "print requests to webhooks as they come, until Ctrl-C; with --jsonl one document a line",
  arguments: { trigger: optionalArgument("id of the trigger, or of its workflow, or its name; else all") },
  examples: ["triggers listen", 'triggers listen "On order" --jsonl'],
  async action({ control, output }, { trigger }) {
    const client = await control();
    const known = new Set((await read(client, trigger)).map(({ id }) => id));
    output.note("Listening; end with Ctrl-C.");
    for (;;) {
      // Of one whose caller waits there is more to say when it has its answer.
      const fresh = (await read(client, trigger)).filter(({ id, status }) => status !== null && !known.has(id));
      for (const delivery of fresh.toReversed()) {
        known.add(delivery.id);
        print(output, delivery);
      }
      await sleep(everyMs);
    }
  },
});

async function read(client: Client, trigger: string | undefined): Promise<DeliveryBody[]> {
  return (await client.get<DeliveryList>("/control/deliveries", { trigger, limit: pageSize })).deliveries;
}

function print(output: Output, delivery: DeliveryBody): void {
  const { id, status, run_id, reason, bytes, created_at } = delivery;
  if (output.format === "json" || output.format === "jsonl") output.document(delivery);
  else if (output.format === "ids") output.print(id);
  else {
    const what = [`${status ?? ""}`, run_id ?? "no run", `${bytes} bytes`, ...(reason === null ? [] : [reason])];
    const line = safeText(what.join("  "));
    output.print(`${output.paint("dim", showClock(created_at))}  ${line}`);
  }
}
