import type { ConnectionTest } from "../../contract/connection.ts";
import { textCell, durationCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { connectionArgument, connectionPath } from "../connection.ts";
import { printSheet } from "../print.ts";

export const connectionsTest = defineCommand({
  name: "test",
  summary: "call a connection's service in a way that changes nothing there; exit 1 when that fails",
  arguments: { connection: connectionArgument },
  examples: ["connections test shop", "connections test shop --json"],
  async action({ control, output }, { connection }) {
    const client = await control();
    const test = await client.post<ConnectionTest>(`${connectionPath(connection)}/test`);
    const verdict = test.tested ? "works" : "not tested: its connector has no call that changes nothing";
    await printSheet(output, {
      json: test,
      id: test.id,
      fields: [
        ["connection", textCell(test.name)],
        ["result", test.ok ? textCell(verdict, "green") : textCell(test.error?.code, "red")],
        ...(test.error ? [["error", textCell(test.error.message)] as const] : []),
        ["took", durationCell(test.duration_ms)],
      ],
    });
    return test.ok ? "ok" : "failure";
  },
});
