import type { Run } from "../../contract/run.ts";
import { defineCommand } from "../command.ts";
import { argument } from "../option.ts";
import { printStartedRun } from "../print-run.ts";

export const deliveriesRedeliver = defineCommand({
  name: "redeliver",
  summary: "start a run with what a delivery brought, on the version that is deployed now",
  arguments: { delivery: argument("id of the delivery") },
  examples: ["deliveries redeliver ID", "deliveries redeliver ID --json"],
  async action({ control, output }, { delivery }) {
    const client = await control();
    const path = `/control/deliveries/${encodeURIComponent(delivery)}/redeliver`;
    await printStartedRun(output, await client.post<Run>(path));
  },
});
