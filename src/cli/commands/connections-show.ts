import type { ConnectionBody } from "../../contract/connection.ts";
import { defineCommand } from "../command.ts";
import { connectionArgument, connectionPath, printConnection } from "../connection.ts";

export const connectionsShow = defineCommand({
  name: "show",
  summary: "show a connection, without its credentials",
  arguments: { connection: connectionArgument },
  examples: ["connections show shop", "connections show shop --json"],
  async action({ control, output }, { connection }) {
    const client = await control();
    await printConnection(output, await client.get<ConnectionBody>(connectionPath(connection)));
  },
});
