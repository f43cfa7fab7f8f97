import type { BreakerList } from "../../contract/breaker.ts";
import { defineCommand } from "../command.ts";
import { optionalArgument, value } from "../option.ts";
import { printBreakers } from "../print-breakers.ts";

export const breakersReset = defineCommand({
  name: "reset",
  summary: "call integrations again at once; shows what their circuit breakers knew",
  arguments: { connector: optionalArgument("slug of the connector; all of the workspace without it") },
  options: { connection: value("ID", "the breaker of this connection alone") },
  examples: [
    "breakers reset",
    "breakers reset http",
    "breakers reset hubspot --connection 01980000-0000-7000-8000-000000000000",
  ],
  async action({ control, output }, { connector, connection }) {
    const client = await control();
    const body = {
      ...(connector !== undefined && { connector }),
      ...(connection !== undefined && { connection_id: connection }),
    };
    const reset = await client.post<BreakerList>("/control/breakers/reset", body);
    await printBreakers(output, reset, "There was nothing to reset.");
  },
});
