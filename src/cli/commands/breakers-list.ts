import type { BreakerList } from "../../contract/breaker.ts";
import { defineCommand } from "../command.ts";
import { printBreakers } from "../print-breakers.ts";

export const breakersList = defineCommand({
  name: "list",
  summary: "list the integrations whose calls failed lately, and those that are not called for now",
  examples: ["breakers list", "breakers list --json"],
  async action({ control, output }) {
    const client = await control();
    const list = await client.get<BreakerList>("/control/breakers");
    await printBreakers(output, list, "No integration failed lately.");
  },
});
